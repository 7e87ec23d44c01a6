/** The labels of a lesson for what needs a server, by language. */
export const withServer = {
  en: {
    needs: "read before:",
    all: "All lessons",
    yours: "Now your code",
    nextLesson: "Next lesson",
    yourName: "Your name",
    saveResult: "Save my result, signed",
    resultSaved: "Saved: {} of {} right. Hand in the file; the server keeps nothing.",
    askedByClass: "The class is being asked this question: answer it there.",
  },
  de: {
    needs: "vorher lesen:",
    all: "Alle Lektionen",
    yours: "Jetzt mit eigenem Code",
    nextLesson: "Nächste Lektion",
    yourName: "Dein Name",
    saveResult: "Mein Ergebnis signiert speichern",
    resultSaved: "Gespeichert: {} von {} richtig. Gib die Datei ab; der Server behält nichts.",
    askedByClass: "Diese Frage wird gerade der Klasse gestellt: Antworte dort.",
  },
};
