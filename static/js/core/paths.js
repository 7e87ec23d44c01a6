/** The path of a session on the server. */

/** @param {string} id @returns {string} */
export const sessionPath = (id) => `/api/sessions/${encodeURIComponent(id)}`;
