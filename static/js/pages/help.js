/** Help, the pages of ops, documents: the text comes from the server. */
import "./common.js";
