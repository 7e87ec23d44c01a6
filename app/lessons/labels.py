"""The labels of the lesson panel in other languages than English, by their names in static/js/features/lesson/words.js."""

from __future__ import annotations

from collections.abc import Mapping

from .refusals import PREFIX, REFUSALS
from .room_labels import ROOM
from .teacher_labels import TEACHER

LABELS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "introduction": "Einführung",
        "step": "Schritt",
        "steps": "Schritte der Lektion",
        "named": "{}: {}",
        "done": "erledigt",
        "doneOf": "{} von {} Schritten erledigt",
        "language": "Sprache der Lektion",
        "note": "Anmerkung",
        "about": "Etwa {} Minuten",
        "needs": "vorher lesen:",
        "show": "Zeig es mir",
        "waits": "sobald die Frage dazu beantwortet ist",
        "there": "Du bist dort.",
        "back": "Zurück",
        "next": "Weiter",
        "finish": "Abschließen",
        "again": "Von vorn beginnen",
        "answer": "Antworten",
        "here": "Hier",
        "hint": "Hinweis",
        "hintOf": "Hinweis ({} von {})",
        "showAnswer": "Antwort zeigen",
        "theAnswer": "Die Antwort:",
        "right": "Richtig.",
        "wrong": "Nicht ganz.",
        "lookAgain": "Sieh noch einmal hin, nimm einen Hinweis, oder lass dir die Antwort zeigen.",
        "choose": "Im Bild wählen",
        "aNumber": "eine Zahl",
        "toDigits": "eine Zahl, auf {} Stellen genau, Inf oder NaN",
        "aTruth": "true oder false",
        "aShape": "etwa (3, 4)",
        "anIndex": "eine Zahl je Dimension",
        "goThere": "Geh zu der Stelle und drück dann „Hier“. Du bist bei Schritt {}.",
        "goThereOf": "Geh zu der Stelle und drück dann „Hier“. Du bist bei Schritt {} von Prozess {}.",
        "atStep": "Schritt {}",
        "or": " oder ",
        "more": " und {} weitere",
        "integer": "Das ist keine ganze Zahl: Schreib sie in Ziffern, wie 3 oder -12.",
        "float": "Das ist keine Zahl: Schreib sie wie 3, -0.5, 1e-3, 1/3, NaN oder Inf.",
        "truth": "Das ist kein Wahrheitswert: Schreib true oder false.",
        "shape": "Das ist keine Form: Schreib ihre Größen wie 3x4 oder (3, 4), für einen Skalar ().",
        "cell": "Das ist kein Index: Schreib ihn wie 1, 0, mit einer Zahl für jede Dimension.",
        "comma": "Ist das Komma ein Dezimalkomma? Schreib einen Punkt.",
        "none": "Wähl eine der Antworten.",
        "skip": "Überspringen",
        "check": "Prüfen",
        "line": "Zeile {}",
        "lines": "Zeilen {}",
        "playgroundNeeds": "Der Playground braucht ein laufendes hloscope.",
        "othersNeed": "Andere Änderungen brauchen ein laufendes hloscope",
        "exerciseNeeds": "Diese Aufgabe braucht ein laufendes hloscope",
        "lessonThere": "die Lektion dort",
        "theCheck": "Geprüft wird:",
        "passes": "Dein Programm besteht die Prüfung.",
        "yourResult": "Dein Ergebnis",
        "expected": "Erwartet",
        "expectedLater": "Das erwartete Ergebnis siehst du, sobald die Frage darüber beantwortet ist.",
        "differs": "weicht ab",
        "all": "Alle Lektionen",
        "yours": "Jetzt mit eigenem Code",
        "nextLesson": "Nächste Lektion",
        "yourName": "Dein Name",
        "saveResult": "Mein Ergebnis signiert speichern",
        "resultSaved": "Gespeichert: {} von {} richtig. Gib die Datei ab; der Server behält nichts.",
        "askedByClass": "Diese Frage wird gerade der Klasse gestellt: Antworte dort.",
        "change": "Programm ändern",
        "signedInOnly": "Dieser Server führt Aufgaben nur für Angemeldete aus.",
        "yourProgram": "Dein Programm",
        "run": "Ausführen und prüfen",
        "runKeys": "Ausführen und prüfen (im Text Strg+Enter)",
        "running": "Läuft …",
        "stepThrough": "Meine Version Schritt für Schritt durchgehen",
        "undo": "Alle Änderungen zurücknehmen",
    },
    "fr": {
        "introduction": "Introduction",
        "step": "Étape",
        "steps": "Étapes de la leçon",
        "named": "{} : {}",
        "done": "terminée",
        "doneOf": "Étapes terminées : {} sur {}",
        "language": "Langue de la leçon",
        "note": "Remarque",
        "about": "Environ {} minutes",
        "needs": "à lire avant :",
        "show": "Montrez-moi",
        "waits": "dès que vous aurez répondu",
        "there": "Vous y êtes.",
        "back": "Précédent",
        "next": "Suivant",
        "finish": "Terminer",
        "again": "Recommencer",
        "answer": "Répondre",
        "here": "Ici",
        "hint": "Indication",
        "hintOf": "Indication ({} sur {})",
        "showAnswer": "Montrer la réponse",
        "theAnswer": "La réponse :",
        "right": "C'est juste.",
        "wrong": "Pas tout à fait.",
        "lookAgain": "Réessayez, prenez une indication ou affichez la réponse.",
        "choose": "Choisir dans l'image",
        "aNumber": "un nombre",
        "toDigits": "un nombre, à {} chiffres, Inf ou NaN",
        "aTruth": "true ou false",
        "aShape": "par exemple (3, 4)",
        "anIndex": "un nombre par dimension",
        "goThere": "Allez à l'endroit voulu, puis appuyez sur Ici. Vous êtes au pas {}.",
        "goThereOf": "Allez à l'endroit voulu, puis appuyez sur Ici. Vous êtes au pas {} du processus {}.",
        "atStep": "pas {}",
        "or": " ou ",
        "more": " et {} de plus",
        "integer": "Ce n'est pas un nombre entier : écrivez-le en chiffres, comme 3 ou -12.",
        "float": "Ce n'est pas un nombre : écrivez-le comme 3, -0.5, 1e-3, 1/3, NaN ou Inf.",
        "truth": "Ce n'est ni vrai ni faux : écrivez true ou false.",
        "shape": "Ce n'est pas une forme : écrivez ses tailles comme 3x4 ou (3, 4), et pour un scalaire ().",
        "cell": "Ce n'est pas un indice : écrivez-le comme 1, 0, avec un nombre par dimension.",
        "comma": "La virgule est-elle une virgule décimale ? Écrivez un point.",
        "none": "Choisissez une des réponses.",
        "skip": "Passer",
        "check": "Vérifier",
        "line": "Ligne {}",
        "lines": "Lignes {}",
        "playgroundNeeds": "le playground a besoin d'un hloscope en cours d'exécution.",
        "othersNeed": "D'autres modifications ont besoin d'un hloscope en cours d'exécution",
        "exerciseNeeds": "Cet exercice a besoin d'un hloscope en cours d'exécution",
        "lessonThere": "la leçon là-bas",
        "theCheck": "La vérification :",
        "passes": "Votre programme passe la vérification.",
        "yourResult": "Votre résultat",
        "expected": "Attendu",
        "expectedLater": "Le résultat attendu s'affiche dès qu'il y a une réponse à la question ci-dessus.",
        "differs": "diffère",
        "all": "Toutes les leçons",
        "yours": "Maintenant, votre code",
        "nextLesson": "Leçon suivante",
        "yourName": "Votre nom",
        "saveResult": "Enregistrer mon résultat, signé",
        "resultSaved": "Enregistré : {} sur {} justes. Remettez le fichier ; le serveur ne garde rien.",
        "askedByClass": "Cette question est en train d'être posée à la classe : répondez-y là-bas.",
        "change": "Modifier le programme",
        "signedInOnly": "Ce serveur n'exécute les exercices que pour les personnes connectées.",
        "yourProgram": "Votre programme",
        "run": "Exécuter et vérifier",
        "runKeys": "Exécuter et vérifier (Ctrl+Enter dans le texte)",
        "running": "Exécution en cours…",
        "stepThrough": "Parcourir ma version pas à pas",
        "undo": "Annuler toutes les modifications",
    },
}

HANDOUT: Mapping[str, Mapping[str, str]] = {
    "en": {
        "question": "Question",
        "answer": "Answer:",
        "exercise": "Exercise",
        "answers": "Answers",
        "or": " or ",
        "back": "Back to the lesson",
        "print": "This page is made to be printed: press Ctrl+P, or ⌘P on a Mac.",
    },
    "de": {
        "question": "Frage",
        "answer": "Antwort:",
        "exercise": "Aufgabe",
        "answers": "Antworten",
        "or": " oder ",
        "back": "Zurück zur Lektion",
        "print": "Diese Seite ist zum Ausdrucken gedacht: Drück Strg+P, auf einem Mac ⌘P.",
    },
    "fr": {
        "question": "Question",
        "answer": "Réponse :",
        "exercise": "Exercice",
        "answers": "Réponses",
        "or": " ou ",
        "back": "Retour à la leçon",
        "print": "Cette page est faite pour être imprimée : appuyez sur Ctrl+P, ou sur ⌘P sur un Mac.",
    },
}
"""The words of a printed lesson, by language."""

JOIN: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Join the class",
        "code": "Room code from your teacher (eight letters and digits)",
        "join": "Join",
        "kept": "You need no account and no name: the room calls you by a colour and an animal. Your answers are deleted with the room.",
        "refused_code": "No room has this code. Codes have eight letters and digits, and expire some hours after the teacher has left.",
        "refused_guesses": "Too many wrong codes were typed in this network. Wait a minute, or ask for the link of the room.",
    },
    "de": {
        "title": "Der Klasse beitreten",
        "code": "Raumcode von deiner Lehrkraft (acht Buchstaben und Ziffern)",
        "join": "Beitreten",
        "kept": "Du brauchst kein Konto und keinen Namen: Der Raum nennt dich nach einer Farbe und einem Tier. Deine Antworten werden mit dem Raum gelöscht.",
        "refused_code": "Kein Raum hat diesen Code. Ein Code hat acht Buchstaben und Ziffern, und er verfällt einige Stunden, nachdem die Lehrkraft gegangen ist.",
        "refused_guesses": "Aus diesem Netz wurden zu viele falsche Codes eingegeben. Warte eine Minute, oder bitte um den Link des Raums.",
    },
    "fr": {
        "title": "Rejoindre la classe",
        "code": "Code de la salle, que vous recevez en cours (huit lettres et chiffres)",
        "join": "Rejoindre",
        "kept": "Il ne faut ni compte ni nom : la salle vous désigne par une couleur et un animal. Vos réponses sont supprimées avec la salle.",
        "refused_code": "Aucune salle n'a ce code. Un code a huit lettres et chiffres, et il expire quelques heures après le départ de la personne qui enseigne.",
        "refused_guesses": "Trop de codes faux ont été saisis depuis ce réseau. Attendez une minute, ou demandez le lien de la salle.",
    },
}
"""The words of the page that asks for the code of a room, by language."""


def labels_of(language: str) -> dict[str, str]:
    """The labels in a language such as `de-AT`; none for English, and for languages without labels."""
    name = language.partition("-")[0]
    return {**LABELS.get(name, {}), **_of_room(name)}


def _of_room(name: str) -> dict[str, str]:
    refusals = {PREFIX + kind: sentence for kind, sentence in REFUSALS.get(name, {}).items()}
    return {**ROOM.get(name, {}), **TEACHER.get(name, {}), **refusals}


def room_words(accepted: str) -> dict[str, object]:
    """The language of a room without a lesson, and its words; `accepted` is an Accept-Language header."""
    name = join_words(accepted)[0]
    return {"language": name, "labels": _of_room(name)} if name in ROOM else {}


def join_words(accepted: str) -> tuple[str, Mapping[str, str]]:
    """The language of the page that asks for a code, and its words; `accepted` is an Accept-Language header."""
    weights = [part.strip().partition(";q=") for part in accepted.split(",")]
    ranked = sorted(weights, key=lambda part: -_weight(part[2]))
    names = (tag.partition("-")[0].lower() for tag, _, _ in ranked)
    name = next((name for name in names if name in JOIN), "en")
    return name, JOIN[name]


def _weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0


def handout_words(language: str) -> Mapping[str, str]:
    """The words of a printed lesson, or the English ones."""
    return HANDOUT.get(language.partition("-")[0], HANDOUT["en"])
