"""What the server refuses in a room or an exercise, in other languages than English, by the kind of error.

`{}` stands for the parts of the error. Its English is the error's own message and hint.
"""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "refused_"
"""Begins the names of these sentences among the labels of a page."""

REFUSALS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "token": (
            "Dieser Browser ist bei hloscope nicht angemeldet. Öffne die Adresse, die hloscope beim Start ausgegeben "
            "hat; sie enthält das Token."
        ),
        "offline": "Der Server ist nicht erreichbar.",
        "chalk": "Jemand anderes hat die Kreide. Nimm sie zurück, um die Klasse zu führen.",
        "role": "Das darf nur die Lehrkraft dieses Raums.",
        "not_member": "Das dürfen nur Mitglieder des Raums. Öffne zuerst die Seite des Raums.",
        "member": "In diesem Raum gibt es niemanden mit dem Namen {}.",
        "no_room": "Diesen Raum gibt es nicht; vielleicht ist er beendet.",
        "no_run": "Diesen Lauf gibt es nicht.",
        "no_question": "Diese Frage gibt es in der Lektion nicht.",
        "lesson": "Das Programm {} dieser Lektion lässt sich nicht öffnen.",
        "rooms": (
            "Auf diesem Server gibt es schon so viele Räume wie erlaubt. Die Einstellung max_rooms hat den Wert {}; "
            "/-/settings nennt alle Einstellungen."
        ),
        "no_code": "Es fand sich kein freier Raumcode: Versuch es noch einmal.",
        "records": (
            "Dieser Raum zeichnet die Antworten der Mitglieder nicht auf. Das wählt man beim Öffnen eines Raums, denn "
            "die Mitglieder müssen es erfahren, bevor sie beitreten."
        ),
        "unsaved": (
            "Was die Klasse tut, wird gerade nicht gespeichert; der Server versucht es alle paar Sekunden wieder. {}"
        ),
        "no_poll": "Es ist keine Frage gestellt.",
        "poll_open": ("Eine Frage ist schon offen. Schließ oder verwirf sie, bevor du die nächste stellst."),
        "poll_closed": "Diese Frage ist geschlossen.",
        "poll_over": "Diese Frage ist vorbei.",
        "poll_revealed": "Die Ergebnisse dieser Frage werden schon gezeigt.",
        "poll_replaced": "Die Ergebnisse dieser Frage wurden inzwischen gezeigt, oder eine andere Frage steht an ihrer Stelle.",
        "no_elements": "{} hat keine Elemente, nach denen man fragen könnte.",
        "complex": "Nach einer komplexen Zahl lässt sich nicht fragen. Frag nach ihrem Realteil.",
        "no_dependence": (
            "Dieses Element hängt nicht von dem Wert ab. Nimm ein Element, das den Wert liest, und den Wert, den es "
            "liest."
        ),
        "copy": "Deine Kopie entsteht bereits.",
        "copies": (
            "Du hast in diesem Raum schon {} Kopien angelegt. Arbeite in einer davon weiter, oder lösch eine, die du "
            "nicht brauchst."
        ),
        "room_copies": (
            "In diesem Raum gibt es schon so viele Kopien wie erlaubt. Die Einstellung copies_per_member hat den Wert "
            "{}; /-/settings nennt alle Einstellungen."
        ),
        "copy_size": (
            "Das Programm ist größer als {} Bytes, und dies ist eine Kopie aus einem Raum. So groß darf es nach der "
            "Einstellung copy_program_bytes sein; /-/settings nennt alle Einstellungen."
        ),
        "visitors": (
            "Aus diesem Netz kamen mehr als {} Läufe in einer Minute. Warte eine Minute, und versuch es dann noch "
            "einmal."
        ),
        "visitors_busy": (
            "Gerade laufen Programme von {} Besuchern aus diesem Netz und von {} insgesamt. Versuch es in einigen "
            "Sekunden noch einmal."
        ),
    },
    "fr": {
        "token": (
            "Ce navigateur n'est pas connecté à hloscope. Ouvrez l'adresse que hloscope a affichée à son démarrage ; "
            "elle contient le jeton."
        ),
        "offline": "Le serveur est injoignable.",
        "chalk": "Quelqu'un d'autre a la craie. Reprenez-la pour guider la classe.",
        "role": "Seule la personne qui dirige cette salle peut faire cela.",
        "not_member": "Seuls les membres de la salle peuvent faire cela. Ouvrez d'abord la page de la salle.",
        "member": "Personne ne s'appelle {} dans cette salle.",
        "no_room": "Cette salle n'existe pas ; elle est peut-être fermée.",
        "no_run": "Cette exécution n'existe pas.",
        "no_question": "Cette question n'existe pas dans la leçon.",
        "lesson": "Le programme {} de cette leçon ne peut pas être ouvert.",
        "rooms": (
            "Ce serveur a atteint son nombre maximal de salles. Le paramètre max_rooms vaut {} ; /-/settings donne "
            "tous les paramètres."
        ),
        "no_code": "Aucun code de salle libre n'a été trouvé : réessayez.",
        "records": (
            "Cette salle n'enregistre pas les réponses de ses membres. Cela se choisit à l'ouverture d'une salle, car "
            "les membres doivent le savoir avant de la rejoindre."
        ),
        "unsaved": (
            "Ce que fait la classe n'est pas sauvegardé en ce moment ; le serveur réessaie à intervalles de "
            "quelques secondes. {}"
        ),
        "no_poll": "Aucune question n'est posée.",
        "poll_open": "Une question est déjà ouverte. Fermez-la ou abandonnez-la avant de poser la suivante.",
        "poll_closed": "Cette question est fermée.",
        "poll_over": "Cette question est terminée.",
        "poll_revealed": "Les résultats de cette question sont déjà affichés.",
        "poll_replaced": "Entre-temps, les résultats de cette question ont été affichés, ou une autre question l'a remplacée.",
        "no_elements": "{} n'a pas d'éléments sur lesquels interroger.",
        "complex": "On ne peut pas demander un nombre complexe. Demandez sa partie réelle.",
        "no_dependence": (
            "Cet élément ne dépend pas de la valeur. Choisissez un élément qui lit la valeur, et la valeur qu'il lit."
        ),
        "copy": "Votre copie est déjà en préparation.",
        "copies": (
            "Vous avez déjà fait {} copies dans cette salle. Continuez dans l'une d'elles, ou supprimez-en une dont "
            "vous n'avez pas besoin."
        ),
        "room_copies": (
            "Cette salle a atteint son nombre maximal de copies. Le paramètre copies_per_member vaut {} ; /-/settings "
            "donne tous les paramètres."
        ),
        "copy_size": (
            "Le programme dépasse {} octets, et ceci est une copie faite dans une salle. C'est la taille maximale selon "
            "le paramètre copy_program_bytes ; /-/settings donne tous les paramètres."
        ),
        "visitors": (
            "Plus de {} exécutions sont venues de ce réseau en une minute. Attendez une minute, puis réessayez."
        ),
        "visitors_busy": (
            "En ce moment, {} exécutions viennent de ce réseau, et {} en tout. Réessayez dans quelques secondes."
        ),
    },
}
