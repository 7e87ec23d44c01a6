"""The words of a room for its members in other languages than English, by their names in words_with_server.js."""

from __future__ import annotations

from collections.abc import Mapping

ROOM: Mapping[str, Mapping[str, str]] = {
    "de": {
        "room": "Raum",
        "joining": "Du trittst dem Raum bei …",
        "roomEnded": "Der Raum ist beendet.",
        "roomDeleted": (
            "Er wurde mit allen Antworten und Kopien gelöscht. Was du siehst, bleibt, bis du diese Seite "
            "verlässt."
        ),
        "personHere": "{} Person hier",
        "peopleHere": "{} Personen hier",
        "attention": "Die Lehrkraft bittet um Aufmerksamkeit.",
        "lookHere": "Bitte hierher sehen.",
        "atStepOf": "Schritt {} von {}",
        "atStepOfProcess": "Schritt {} von Prozess {}",
        "ofProcess": ", Prozess {}",
        "tellTeacher": "Der Lehrkraft sagen",
        "raiseHand": "Melden",
        "lowerHand": "Nicht mehr melden",
        "lost": "Ich komme nicht mit",
        "explore": "Eigene Kopie öffnen",
        "exploreTitle": "Eine eigene Sitzung bei diesem Schritt; der Weg zurück bleibt hier",
        "youAre": "Du bist",
        "teacherSees": (
            "Die Lehrkraft sieht diesen Namen, was diese Seite vom Lauf der Klasse zeigt, und welche "
            "Fragen der Lektion du richtig beantwortet hast."
        ),
        "anonymous": "Du bleibst anonym, und nach dem Ende des Raums bleibt nichts über dich gespeichert.",
        "recorded": "Deine Antworten werden für die Lehrkraft aufgezeichnet, bis der Raum endet.",
        "ownCopy": "Deine eigene Kopie. Die Klasse ist bei Schritt {}.",
        "haveChalk": "Du hast die Kreide:",
        "classFollows": "Die Klasse folgt dir.",
        "giveChalk": "Kreide zurückgeben",
        "following": "Du folgst der Lehrkraft",
        "followingChalk": "Du folgst {}: Dort ist die Kreide",
        "followingPaused": "Du folgst gerade nicht",
        "backToClass": "Zurück zur Klasse",
        "larger": "Größer oder kleiner",
        "joinPicture": "Bild des Links zum Raum, für die Kamera eines Telefons",
        "resultsShown": "Die Ergebnisse werden gezeigt.",
        "questionToClass": "Frage an die Klasse: {}",
        "questionClosed": "Die Frage ist geschlossen.",
        "onYourDevice": "Antworte auf deinem eigenen Gerät.",
        "notAnswered": "Du hast nicht geantwortet.",
        "yourAnswer": "Deine Antwort:",
        "resultsFollow": "Die Frage ist geschlossen; die Ergebnisse folgen.",
        "saved": "✓ Gespeichert:",
        "sending": "Wird gesendet:",
        "canChange": "Du kannst sie ändern, bis die Frage geschlossen wird.",
        "changeAnswer": "Ändern",
        "clickElement": "Klick im Bild auf das Element, oder schreib seinen Index.",
        "valueNotShown": (
            "Der Wert zum Anklicken ist nicht zu sehen: Kehr zur Klasse zurück, oder schreib einen Index."
        ),
        "indexOf": "Index des Elements",
        "notIndex": "{} ist kein Index: Schreib ganze Zahlen, etwa 1, 0.",
        "otherRank": "Der Wert hat {}, der Index {}.",
        "dimension": "{} Dimension",
        "dimensions": "{} Dimensionen",
        "outside": "{} liegt außerhalb von Dimension {}, die die Größe {} hat.",
        "hereInstead": "Stattdessen hier",
        "aboutRun": "Die Frage betrifft Lauf {}: Geh erst dorthin.",
        "classAnswers": "Antworten",
        "rightMark": "richtig",
        "fewAnswers": (
            "Weniger als fünf Personen haben geantwortet. Die Antworten bleiben verborgen, denn sie "
            "könnten verraten, von wem sie sind."
        ),
        "discs": "Die Kreise auf dem Tensor zeigen die angeklickten Elemente.",
        "otherAnswers": "andere",
        "oneAnswer": "{} Antwort",
        "answers": "{} Antworten",
        "undecided": "Nichts Aufgezeichnetes entscheidet, welche richtig ist.",
        "recordedAnswer": "Aufgezeichnet:",
        "wasRight": "{} von {} richtig.",
        "wereRight": "{} von {} richtig.",
        "noElement": "kein Element",
        "noOption": "keine der Möglichkeiten",
        "whereExpected": ", erwartet wird {}",
        "beforeJoining": "Bevor du beitrittst",
        "recordKept": (
            "Die Antworten dieser Klasse werden für die Lehrkraft aufgezeichnet, die sie herunterladen "
            "kann. Zu jeder Frage steht darin:"
        ),
        "recordTries": "wie oft du geantwortet hast, und deine erste Antwort,",
        "recordRight": "ob deine Antwort richtig war, oder dir gezeigt wurde,",
        "recordWhen": "wann du geantwortet hast, und nach wie vielen Sekunden.",
        "recordNamed": (
            "In der Aufzeichnung steht ein zufälliger Name, etwa „teal otter 14“, und daneben der Name, "
            "den du hier einträgst. Du darfst das Feld leer lassen."
        ),
        "recordUnnamed": "In der Aufzeichnung steht ein zufälliger Name, etwa „teal otter 14“, nicht deiner.",
        "recordHides": "Sie enthält keine Adresse und kein Cookie. Andere in der Klasse sehen sie nicht.",
        "recordDeleted": (
            "Der Server löscht die Aufzeichnung mit dem Raum: wenn die Lehrkraft ihn beendet, spätestens "
            "{} nach dem Öffnen. Was die Lehrkraft heruntergeladen hat, bleibt bei ihr."
        ),
        "hour": "{} Stunde",
        "hours": "{} Stunden",
        "day": "{} Tag",
        "days": "{} Tage",
        "nameForTeacher": "Dein Name, für die Lehrkraft",
        "joinClass": "Der Klasse beitreten",
        "lineLost": (
            "Die Verbindung zum Raum ist unterbrochen und wird wiederhergestellt. Du kannst allein "
            "weiterarbeiten."
        ),
        "line4401": (
            "Dieser Browser ist beim Server nicht angemeldet, oder der Link zum Raum ist unvollständig."
        ),
        "line4403": "Dieser Browser hat nicht das Geheimnis der Lehrkraft dieses Raums: Öffne deren Link noch einmal.",
        "line4404": "Diesen Raum gibt es nicht: Er ist beendet, oder der Link ist unvollständig.",
        "line4408": "Der Server hat nicht rechtzeitig von dieser Seite gehört. Sie versucht es von selbst weiter.",
        "line4409": "Ein anderer Server hat diesen Raum übernommen. Diese Seite versucht es von selbst weiter.",
        "line4410": "Der Raum ist beendet.",
        "line4423": (
            "Der Raum ist abgeschlossen. Bitte die Lehrkraft, ihn zu öffnen; diese Seite versucht es von "
            "selbst weiter."
        ),
        "line4429": (
            "Der Raum ist voll, oder viele treten ihm aus deinem Netz zugleich bei. Diese Seite versucht es "
            "von selbst weiter."
        ),
        "line4503": "Der Server wird neu gestartet. Diese Seite versucht es von selbst weiter.",
        "closeQuestion": "Frage schließen",
        "showResults": "Ergebnisse zeigen",
        "doneWithPoll": "Fertig",
        "discardPoll": "Verwerfen",
        "answersOf": "{} von {}",
        "person": "{} Person",
        "people": "{} Personen",
        "nowClosed": "; die Frage ist geschlossen",
        "answerNumber": "Die Antwort ist eine Zahl, etwa 3, -1.5e3, 1/3, NaN oder inf; bei einem Wahrheitswert true oder false.",
        "answerChoice": "Die Antwort ist eine der Möglichkeiten.",
        "answerCell": "Die Antwort ist der Index eines Elements des Werts.",
        "answerShape": "Die Antwort sind die Größen einer Form, etwa 3, 4.",
        "answerStep": "Die Antwort ist ein Schritt des Laufs: Geh dorthin, und drück dann den Knopf.",
        "inviteTitle": "Die Klasse einladen: Link, Code, Bild",
        "isFollowing": "folgt",
        "areFollowing": "folgen",
        "handUp": "Meldung",
        "handsUp": "Meldungen",
        "isLost": "kommt nicht mit",
        "areLost": "kommen nicht mit",
        "youWatch": "Du siehst, was {} sieht; die Klasse bleibt bei Schritt {}.",
        "hasChalk": "{} hat die Kreide",
        "takeChalk": "Kreide zurücknehmen",
        "askClass": "Die Klasse fragen …",
        "pauseTitle": "Bittet alle, aufzublicken",
        "goOn": "Weiter",
        "pauseClass": "Pause",
        "theClass": "Die Klasse",
        "roomMenu": "Weitere Befehle zum Raum",
        "inviteClass": "Die Klasse einladen …",
        "lockRoom": "Raum abschließen",
        "projector": "Ansicht für den Projektor öffnen",
        "recordsMenu": "Aufzeichnungen und Fragen …",
        "endRoom": "Raum beenden …",
        "askTitle": "Die Klasse fragen",
        "alreadyAsked": "Eine Frage ist schon offen. Schließ sie zuerst: Die Klasse sieht immer nur eine.",
        "lessonAsks": "Fragen der Lektion an dieser Stelle",
        "askThis": "Das fragen",
        "theyAnswer": "Geantwortet wird mit",
        "byNumber": "Einer Zahl",
        "byNumberSays": "Sie schreiben, welchen Wert ein Element haben wird.",
        "byChoice": "Einer Auswahl",
        "byChoiceSays": "Sie wählen eine deiner Möglichkeiten.",
        "byCell": "Einem Element",
        "byCellSays": "Sie klicken auf ein Element eines Werts.",
        "nothingToAsk": "Hier gibt es keinen Wert, nach dem man fragen könnte. Geh zu der Operation, um die es geht.",
        "question": "Frage",
        "cellIsShown": "Die Klasse sieht den Wert, auf den zu klicken ist.",
        "valueIsCovered": "Der Wert ist auf ihren Seiten verdeckt, bis du die Antworten zeigst.",
        "fromRecording": "Was richtig ist, steht in der Aufzeichnung des Laufs.",
        "ask": "Fragen",
        "value": "Wert",
        "element": "Element",
        "scalar": "Skalar",
        "optionIsValue": "Eine Möglichkeit ist richtig, wenn sie der Wert dieses Elements ist",
        "optionLines": "Möglichkeiten, je eine in einer Zeile (2 bis 8)",
        "notMadeHere": "Diesen Wert hat hier keine Operation berechnet: Nimm einen anderen.",
        "theyClick": "Geklickt wird auf",
    },
    "fr": {
        "room": "Salle",
        "joining": "Connexion à la salle…",
        "roomEnded": "La salle est fermée.",
        "roomDeleted": (
            "Elle a été supprimée avec toutes ses réponses et copies. Ce que vous voyez reste affiché "
            "jusqu'à ce que vous quittiez cette page."
        ),
        "personHere": "{} personne ici",
        "peopleHere": "{} personnes ici",
        "attention": "Votre attention, s'il vous plaît.",
        "lookHere": "Regardez ici, s'il vous plaît.",
        "atStepOf": "pas {} sur {}",
        "atStepOfProcess": "pas {} du processus {}",
        "ofProcess": ", processus {}",
        "tellTeacher": "Faire signe à la personne qui enseigne",
        "raiseHand": "Lever la main",
        "lowerHand": "Baisser la main",
        "lost": "Je n'arrive plus à suivre",
        "explore": "Explorer une copie",
        "exploreTitle": "Une session à vous à ce pas ; le chemin du retour reste ici",
        "youAre": "Vous êtes",
        "teacherSees": (
            "La personne qui enseigne voit ce nom, ce que cette page montre de l'exécution de la classe, et "
            "à quelles questions de la leçon vous avez bien répondu."
        ),
        "anonymous": "Vous restez anonyme, et rien sur vous n'est conservé après la fermeture de la salle.",
        "recorded": "Vos réponses sont enregistrées pour la personne qui enseigne, jusqu'à la fermeture de la salle.",
        "ownCopy": "Votre propre copie. La classe est au pas {}.",
        "haveChalk": "Vous avez la craie :",
        "classFollows": "la classe vous suit.",
        "giveChalk": "Rendre la craie",
        "following": "Vous suivez la classe",
        "followingChalk": "Vous suivez {}, qui a la craie",
        "followingPaused": "Vous ne suivez plus pour l'instant",
        "backToClass": "Retour à la classe",
        "larger": "Plus grand ou plus petit",
        "joinPicture": "Image du lien vers la salle, pour l'appareil photo d'un téléphone",
        "resultsShown": "Les résultats sont affichés.",
        "questionToClass": "Question à la classe : {}",
        "questionClosed": "La question est fermée.",
        "onYourDevice": "Répondez sur votre propre appareil.",
        "notAnswered": "Vous n'avez pas répondu.",
        "yourAnswer": "Votre réponse :",
        "resultsFollow": "La question est fermée ; les résultats suivent.",
        "saved": "✓ Enregistré :",
        "sending": "Envoi :",
        "canChange": "Vous pouvez la modifier jusqu'à la fermeture de la question.",
        "changeAnswer": "Modifier",
        "clickElement": "Cliquez sur l'élément dans l'image, ou écrivez son indice.",
        "valueNotShown": (
            "La valeur sur laquelle cliquer n'est pas affichée : revenez à la classe, ou écrivez un indice."
        ),
        "indexOf": "Indice de l'élément",
        "notIndex": "{} n'est pas un indice : écrivez des nombres entiers, par exemple 1, 0.",
        "otherRank": "La valeur a {}, l'indice {}.",
        "dimension": "{} dimension",
        "dimensions": "{} dimensions",
        "outside": "{} est hors de la dimension {}, de taille {}.",
        "hereInstead": "Ici plutôt",
        "aboutRun": "La question porte sur l'exécution {} : allez-y d'abord.",
        "classAnswers": "Réponses",
        "rightMark": "juste",
        "fewAnswers": (
            "Moins de cinq personnes ont répondu. Les réponses restent cachées, car on pourrait deviner de "
            "qui elles viennent."
        ),
        "discs": "Les disques sur le tenseur montrent les éléments cliqués.",
        "otherAnswers": "autres",
        "oneAnswer": "{} réponse",
        "answers": "{} réponses",
        "undecided": "Rien de ce qui est enregistré ne dit laquelle est juste.",
        "recordedAnswer": "Enregistré :",
        "wasRight": "Juste : {} sur {}.",
        "wereRight": "Justes : {} sur {}.",
        "noElement": "aucun élément",
        "noOption": "aucune des propositions",
        "whereExpected": ", alors que {} est attendu",
        "beforeJoining": "Avant de rejoindre la classe",
        "recordKept": (
            "Les réponses de cette classe sont enregistrées pour la personne qui enseigne, qui peut les "
            "télécharger. Pour chaque question, on y trouve :"
        ),
        "recordTries": "combien de fois vous avez répondu, et votre première réponse,",
        "recordRight": "si votre réponse était juste, ou si elle vous a été montrée,",
        "recordWhen": "quand vous avez répondu, et après combien de secondes.",
        "recordNamed": (
            "L'enregistrement porte un nom tiré au hasard, comme « teal otter 14 », et à côté le nom que "
            "vous écrivez ici. Vous pouvez laisser ce champ vide."
        ),
        "recordUnnamed": (
            "L'enregistrement porte un nom tiré au hasard, comme « teal otter 14 », et non le vôtre."
        ),
        "recordHides": "Il ne contient ni adresse ni cookie. Les autres membres ne le voient pas.",
        "recordDeleted": (
            "Le serveur supprime l'enregistrement avec la salle : quand la personne qui enseigne la ferme, "
            "au plus tard {} après son ouverture. Ce qu'elle a téléchargé reste chez elle."
        ),
        "hour": "{} heure",
        "hours": "{} heures",
        "day": "{} jour",
        "days": "{} jours",
        "nameForTeacher": "Votre nom, pour la personne qui enseigne",
        "joinClass": "Rejoindre la classe",
        "lineLost": (
            "La connexion à la salle est interrompue et va être rétablie. Vous pouvez continuer de votre "
            "côté."
        ),
        "line4401": "Ce navigateur n'est pas connecté au serveur, ou le lien vers la salle est incomplet.",
        "line4403": (
            "Ce navigateur n'a pas le secret de la personne qui dirige cette salle : rouvrez le lien qui "
            "permet de la diriger."
        ),
        "line4404": "Cette salle n'existe pas : elle est fermée, ou le lien est incomplet.",
        "line4408": "Le serveur n'a rien reçu de cette page à temps. Elle réessaie d'elle-même.",
        "line4409": "Un autre serveur a pris cette salle en charge. Cette page réessaie d'elle-même.",
        "line4410": "La salle est fermée.",
        "line4423": (
            "La salle est verrouillée. Demandez à la personne qui enseigne de l'ouvrir ; cette page réessaie "
            "d'elle-même."
        ),
        "line4429": (
            "La salle est pleine, ou beaucoup de gens entrent en même temps depuis votre réseau. Cette page "
            "réessaie d'elle-même."
        ),
        "line4503": "Le serveur redémarre. Cette page réessaie d'elle-même.",
        "closeQuestion": "Fermer la question",
        "showResults": "Afficher les résultats",
        "doneWithPoll": "Terminé",
        "discardPoll": "Abandonner",
        "answersOf": "{} sur {}",
        "person": "{} personne",
        "people": "{} personnes",
        "nowClosed": " ; la question est fermée",
        "answerNumber": (
            "La réponse est un nombre, par exemple 3, -1.5e3, 1/3, NaN ou inf ; pour une valeur de vérité, "
            "true ou false."
        ),
        "answerChoice": "La réponse est l'une des propositions.",
        "answerCell": "La réponse est l'indice d'un élément de la valeur.",
        "answerShape": "La réponse donne les tailles d'une forme, par exemple 3, 4.",
        "answerStep": "La réponse est un pas de l'exécution : allez-y, puis appuyez sur le bouton.",
        "inviteTitle": "Inviter la classe : lien, code, image",
        "isFollowing": "suit",
        "areFollowing": "suivent",
        "handUp": "main levée",
        "handsUp": "mains levées",
        "isLost": "n'arrive plus à suivre",
        "areLost": "n'arrivent plus à suivre",
        "youWatch": "Vous voyez ce que voit {} ; la classe reste au pas {}.",
        "hasChalk": "{} a la craie",
        "takeChalk": "Reprendre la craie",
        "askClass": "Interroger la classe…",
        "pauseTitle": "Demande à tout le monde de lever les yeux",
        "goOn": "Reprendre",
        "pauseClass": "Pause",
        "theClass": "La classe",
        "roomMenu": "Autres commandes de la salle",
        "inviteClass": "Inviter la classe…",
        "lockRoom": "Verrouiller la salle",
        "projector": "Ouvrir la vue pour un projecteur",
        "recordsMenu": "Enregistrements et questions…",
        "endRoom": "Fermer la salle…",
        "askTitle": "Interroger la classe",
        "alreadyAsked": "Une question est déjà ouverte. Fermez-la d'abord : la classe ne voit qu'une question à la fois.",
        "lessonAsks": "Questions de la leçon ici",
        "askThis": "Poser celle-ci",
        "theyAnswer": "La réponse est",
        "byNumber": "Un nombre",
        "byNumberSays": "La classe écrit ce que vaudra un élément.",
        "byChoice": "Un choix",
        "byChoiceSays": "La classe choisit l'une de vos propositions.",
        "byCell": "Un élément",
        "byCellSays": "La classe clique sur un élément d'une valeur.",
        "nothingToAsk": "Il n'y a ici aucune valeur sur laquelle interroger. Allez à l'opération qui vous intéresse.",
        "question": "Question",
        "cellIsShown": "La classe voit la valeur sur laquelle cliquer.",
        "valueIsCovered": (
            "La valeur est masquée sur les pages de la classe jusqu'à ce que vous montriez les réponses."
        ),
        "fromRecording": "Ce qui est juste est lu dans l'enregistrement de l'exécution.",
        "ask": "Poser la question",
        "value": "Valeur",
        "element": "Élément",
        "scalar": "scalaire",
        "optionIsValue": "Une proposition est juste si elle est la valeur de cet élément",
        "optionLines": "Propositions, une par ligne (2 à 8)",
        "notMadeHere": "Cette valeur n'a pas été calculée ici par une opération : choisissez-en une autre.",
        "theyClick": "La classe clique sur",
    },
}
