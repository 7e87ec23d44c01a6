/** Where the server keeps a session. */

/** @param {string} id @returns {string} */
export const sessionPath = (id) => `/api/sessions/${encodeURIComponent(id)}`;
