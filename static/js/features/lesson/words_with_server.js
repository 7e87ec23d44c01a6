/** The labels of a lesson for what needs a server, in English. */
export const withServer = {
  all: "All lessons",
  yours: "Now your code",
  nextLesson: "Next lesson",
  yourName: "Your name",
  saveResult: "Save my result, signed",
  resultSaved: "Saved: {} of {} right. Hand in the file; the server keeps nothing.",
  askedByClass: "The class is being asked this question: answer it there.",
  change: "Change the program",
  signedInOnly: "This server runs exercises only for people who have signed in to it.",
  yourProgram: "Your program",
  run: "Run and check",
  runKeys: "Run and check (Ctrl+Enter in the text)",
  running: "Running…",
  stepThrough: "Step through my version",
  undo: "Undo all changes",
};
