"""The words of a room's panel and dialogs for its teacher, in other languages than English, as in room_labels.py."""

from __future__ import annotations

from collections.abc import Mapping

TEACHER: Mapping[str, Mapping[str, str]] = {
    "de": {
        "whatWill": "Was wird {} sein?",
        "whichElement": "Welches Element von {} liest {}?",
        "writeQuestion": "Schreib die Frage.",
        "optionCount": "Eine Auswahl hat 2 bis 8 Möglichkeiten; angegeben: {}.",
        "chooseAbout": "Wähl den Wert, um den es in der Frage geht.",
        "chooseMade": "Wähl einen Wert, den eine Operation berechnet hat: Geklickt wird auf ihre Operanden.",
        "lessonQuestion": "Eine Frage der Lektion: Kehr zur Klasse zurück, um sie zu lesen.",
        "noRoom": "Diese Seite ist in keinem Raum.",
        "classPanel": "Klasse",
        "classWaiting": "Die Angaben zur Klasse kommen gleich …",
        "noMembers": "Noch ist niemand da. „Raum“, „Die Klasse einladen“ zeigt den Link und den Code.",
        "quietOne": "Dazu kommt {} Person, die gerade nichts braucht.",
        "quietMany": "Dazu kommen {} Personen, die gerade nichts brauchen.",
        "rushOne": (
            "{} weitere Person ist während eines Ansturms beigetreten, vielleicht von einem einzigen Rechner "
            "aus. Sie steht nicht in dieser Tabelle, und bei Fragen zählt ihre Antwort nicht."
        ),
        "rushMany": (
            "{} weitere Personen sind während eines Ansturms beigetreten, vielleicht von einem einzigen "
            "Rechner aus. Sie stehen nicht in dieser Tabelle, und bei Fragen zählen ihre Antworten nicht."
        ),
        "countThem": "Mitzählen",
        "hereNow": "hier",
        "inCopy": "in einer Kopie",
        "away": "abwesend",
        "alone": "allein",
        "whereTheyAre": "Wo alle sind",
        "goToStep": "Dorthin gehen",
        "runAndStep": "Lauf {}, Schritt {}",
        "classIsHere": "die Klasse",
        "members": "Mitglieder",
        "member": "Mitglied",
        "memberNeeds": "Anlass",
        "memberStep": "Schritt",
        "wrongMark": "falsch",
        "wrongCount": "{} falsch",
        "behind": "{} Schritte zurück",
        "idle": "seit {} min inaktiv",
        "privateCopy": "{} ist in einer privaten Kopie, die du nicht sehen kannst",
        "seeMember": "Sehen, was {} sieht",
        "lowerHandOf": "Meldung von {} zurücknehmen",
        "chalk": "Kreide",
        "chalkButton": "Kreide",
        "isWithChalk": "hat die Kreide",
        "lendChalk": "Kreide leihen: Die Klasse folgt dann diesem Mitglied",
        "lendChalkTo": "{} die Kreide leihen",
        "takeChalkFrom": "Die Kreide von {} zurücknehmen",
        "openRoom": "Einen Raum öffnen",
        "openForClass": "Einen Raum für eine Klasse öffnen …",
        "followYou": "alle folgen dir live",
        "whatRoomIs": "Was ein Raum ist",
        "joinAndFollow": (
            "Eine Klasse tritt mit einem Link oder einem kurzen Code bei und folgt dir in „{}“: dem Schritt, "
            "dem Tab, dem gewählten Wert, deinem Zeiger. Alle können sich auf eigene Faust umsehen und "
            "zurückkommen."
        ),
        "thisSession": "dieser Sitzung",
        "classSees": "Die Klasse sieht",
        "classSeesWhat": (
            "das Programm, deine zugehörigen Python-Dateien, alle Läufe mit ihren Eingaben und Werten. Was "
            "du schreibst und noch nicht ausgeführt hast, bleibt bei dir. Mitglieder melden sich nicht an "
            "und können die Sitzung nicht ändern; um etwas auszuprobieren, legen sie eine Kopie an."
        ),
        "youSee": "Du siehst",
        "youSeeWhat": (
            "wie viele folgen, wer nicht mitkommt oder sich meldet, was ihre Seiten von deinem Lauf zeigen, "
            "und welche Fragen einer Lektion sie richtig beantwortet haben. Namen wie „teal otter 14“ werden "
            "zufällig vergeben."
        ),
        "kept": "Gespeichert wird",
        "keptWhat": (
            "wo die Klasse ist, die offene Frage und die Antworten darauf, die Gesamtzahlen früherer Fragen, "
            "die Kopien, die zum Ausprobieren entstehen: alles ohne Namen, wenn du unten nichts anderes "
            "wählst. Wenn du den Raum beendest, wird er mit alldem gelöscht, spätestens nach einer Woche "
            "(Einstellung `room_hours`)."
        ),
        "keepRecords": "Die Antworten jedes Mitglieds zum Herunterladen aufzeichnen",
        "keepNone": "Nein: nur, wie viele bei jedem Schritt sind, und die Gesamtzahlen der Fragen",
        "keepAnonymous": "Ja, unter zufälligen Namen: Versuche, erste Antwort, richtig oder nicht, Zeitpunkt",
        "keepNamed": "Ja, und nach Namen fragen; die Angabe ist freiwillig",
        "keepTold": "Die Mitglieder erfahren das, bevor sie beitreten; die Aufzeichnung wird mit dem Raum gelöscht.",
        "openTheRoom": "Raum öffnen",
        "openingRoom": "Der Raum wird geöffnet …",
        "runFirst": "Von diesem Programm gibt es noch keinen Lauf: Führ es zuerst aus.",
        "invite": "Die Klasse einladen",
        "joinWays": "Wege in den Raum",
        "goToAddress": "Geh auf",
        "andEnter": "und gib diesen Code ein:",
        "isLocked": "; der Raum ist abgeschlossen",
        "linkToRoom": "Link zum Raum",
        "thisMachineOnly": (
            "Dieser Server ist nur von diesem Rechner aus erreichbar. Starte ihn für eine Klasse mit "
            "`--host`, und trag seine Adresse in die Einstellung `allowed_hosts` ein."
        ),
        "ownLink": "Dein eigener Link, um die Klasse von einem anderen Rechner aus zu führen",
        "ownLinkSecret": (
            "Wer diesen Link hat, hat die Rechte der Lehrkraft: Behalt ihn für dich, und zeig ihn nicht auf "
            "dem Projektor."
        ),
        "linkForTeacher": "Link für die Lehrkraft",
        "copyLink": "Kopieren",
        "linkCopied": "Kopiert",
        "copyByHand": "Der Browser hat der Seite das Kopieren nicht erlaubt: Kopier den Link von Hand.",
        "endTheRoom": "Raum beenden",
        "endDeletes": (
            "Alle Mitglieder sehen, dass der Raum beendet ist. Er wird sofort mit seinen Fragen, Antworten "
            "und Kopien gelöscht. Deine Sitzung bleibt erhalten."
        ),
        "notYet": "Noch nicht",
        "records": "Aufzeichnungen",
        "pollsOfRoom": "Fragen in diesem Raum",
        "polls": "Fragen",
        "noPolls": "In diesem Raum wurde noch keine Frage gestellt.",
        "pollColumn": "Frage",
        "answersColumn": "Antworten",
        "pollOpen": "offen",
        "downloads": "Zum Herunterladen",
        "deletedWithRoom": "Der Server löscht das alles mit dem Raum.",
        "keepsNone": (
            "Dieser Raum zeichnet die Antworten der einzelnen Mitglieder nicht auf: Das wählt man, wenn man "
            "einen Raum öffnet."
        ),
        "saveAnswers": "Die Antworten der Klasse herunterladen (CSV)",
        "savePolls": "Alle Fragen herunterladen (CSV)",
    },
    "fr": {
        "whatWill": "Que vaudra {} ?",
        "whichElement": "Quel élément de {} est lu par {} ?",
        "writeQuestion": "Écrivez la question.",
        "optionCount": "Il faut de 2 à 8 propositions ; vous en avez écrit {}.",
        "chooseAbout": "Choisissez la valeur sur laquelle porte la question.",
        "chooseMade": (
            "Choisissez une valeur calculée par une opération : la classe clique sur les opérandes de "
            "celle-ci."
        ),
        "lessonQuestion": "Une question de la leçon : revenez à la classe pour la lire.",
        "noRoom": "Cette page n'est dans aucune salle.",
        "classPanel": "Classe",
        "classWaiting": "En attente des nouvelles de la classe…",
        "noMembers": "Personne n'est encore là. « Salle », « Inviter la classe » affiche le lien et le code.",
        "quietOne": "Et {} autre personne, qui n'a besoin de rien pour l'instant.",
        "quietMany": "Et {} autres personnes, qui n'ont besoin de rien pour l'instant.",
        "rushOne": (
            "{} autre personne est entrée lors d'un afflux soudain, peut-être depuis un seul ordinateur. "
            "Elle n'est pas dans ce tableau, et sa réponse aux questions ne compte pas."
        ),
        "rushMany": (
            "{} autres personnes sont entrées lors d'un afflux soudain, peut-être depuis un seul ordinateur. "
            "Elles ne sont pas dans ce tableau, et leurs réponses aux questions ne comptent pas."
        ),
        "countThem": "Tout compter",
        "hereNow": "ici",
        "inCopy": "dans une copie",
        "away": "hors ligne",
        "alone": "de son côté",
        "whereTheyAre": "Où en est chaque personne",
        "goToStep": "Y aller",
        "runAndStep": "exécution {}, pas {}",
        "classIsHere": "la classe",
        "members": "Membres",
        "member": "Membre",
        "memberNeeds": "Signaux",
        "memberStep": "Pas",
        "wrongMark": "faux",
        "wrongCount": "{} faux",
        "behind": "{} étapes de retard",
        "idle": "sans activité depuis {} min",
        "privateCopy": "{} est dans une copie privée, que vous ne pouvez pas voir",
        "seeMember": "Voir ce que voit {}",
        "lowerHandOf": "Baisser la main de {}",
        "chalk": "Craie",
        "chalkButton": "craie",
        "isWithChalk": "a la craie",
        "lendChalk": "Prêter la craie : la classe suivra cette personne",
        "lendChalkTo": "Prêter la craie à {}",
        "takeChalkFrom": "Reprendre la craie à {}",
        "openRoom": "Ouvrir une salle",
        "openForClass": "Ouvrir une salle pour une classe…",
        "followYou": "on vous suit en direct",
        "whatRoomIs": "Ce qu'est une salle",
        "joinAndFollow": (
            "Une classe entre par un lien ou un code court et vous suit dans « {} » : le pas, l'onglet, la "
            "valeur choisie, votre pointeur. Chaque membre peut explorer de son côté, puis revenir."
        ),
        "thisSession": "cette session",
        "classSees": "La classe voit",
        "classSeesWhat": (
            "le programme, vos fichiers Python qui l'accompagnent, toutes les exécutions avec leurs entrées "
            "et leurs valeurs. Ce que vous écrivez sans l'avoir exécuté reste à vous. Les membres ne se "
            "connectent pas et ne peuvent pas modifier la session ; pour essayer quelque chose, ils font une "
            "copie."
        ),
        "youSee": "Vous voyez",
        "youSeeWhat": (
            "combien de membres suivent, qui n'arrive plus à suivre ou lève la main, ce que leurs pages "
            "montrent de votre exécution, et à quelles questions d'une leçon ils ont bien répondu. Les noms, "
            "comme « teal otter 14 », sont tirés au hasard."
        ),
        "kept": "Est conservé",
        "keptWhat": (
            "où en est la classe, la question ouverte et ses réponses, les totaux des questions précédentes, "
            "les copies faites pour essayer quelque chose : tout cela sans noms, sauf si vous choisissez "
            "autre chose ci-dessous. Quand vous fermez la salle, elle est supprimée avec tout cela, au plus "
            "tard après une semaine (paramètre `room_hours`)."
        ),
        "keepRecords": "Enregistrer les réponses de chaque membre, pour les télécharger",
        "keepNone": "Non : seulement combien de membres en sont à chaque étape, et les totaux des questions",
        "keepAnonymous": "Oui, sous des noms tirés au hasard : essais, première réponse, juste ou non, heure",
        "keepNamed": "Oui, en demandant leur nom aux membres, qui peuvent ne pas le donner",
        "keepTold": "Les membres en sont avertis avant d'entrer ; l'enregistrement est supprimé avec la salle.",
        "openTheRoom": "Ouvrir la salle",
        "openingRoom": "Ouverture de la salle…",
        "runFirst": "Ce programme n'a pas encore d'exécution : exécutez-le d'abord.",
        "invite": "Inviter la classe",
        "joinWays": "Accès à la salle",
        "goToAddress": "Allez sur",
        "andEnter": "et saisissez",
        "isLocked": " ; la salle est verrouillée",
        "linkToRoom": "Lien vers la salle",
        "thisMachineOnly": (
            "Ce serveur n'est accessible que depuis cet ordinateur. Pour une classe, démarrez-le avec "
            "`--host`, et indiquez son adresse dans le paramètre `allowed_hosts`."
        ),
        "ownLink": "Votre propre lien, pour diriger la classe depuis un autre ordinateur",
        "ownLinkSecret": (
            "Ce lien donne tous vos droits sur la salle à quiconque le possède : gardez-le pour vous, et ne "
            "le projetez pas."
        ),
        "linkForTeacher": "Lien pour diriger la salle",
        "copyLink": "Copier",
        "linkCopied": "Copié",
        "copyByHand": "Le navigateur n'a pas permis à la page de copier : copiez le lien à la main.",
        "endTheRoom": "Fermer la salle",
        "endDeletes": (
            "Tous les membres voient que la salle est fermée. Elle est supprimée aussitôt, avec ses "
            "questions, ses réponses et ses copies. Votre session est conservée."
        ),
        "notYet": "Pas encore",
        "records": "Enregistrements",
        "pollsOfRoom": "Questions de cette salle",
        "polls": "Questions",
        "noPolls": "Aucune question n'a encore été posée dans cette salle.",
        "pollColumn": "Question",
        "answersColumn": "réponses",
        "pollOpen": "ouverte",
        "downloads": "Téléchargements",
        "deletedWithRoom": "Le serveur supprime tout cela avec la salle.",
        "keepsNone": (
            "Cette salle n'enregistre pas les réponses de chaque membre : cela se choisit à l'ouverture "
            "d'une salle."
        ),
        "saveAnswers": "Télécharger les réponses de la classe (CSV)",
        "savePolls": "Télécharger toutes les questions (CSV)",
    },
}
