"""Uses a client that openapi-python-client has generated: creates, reads, pages, downloads, and reads answers of a later release.

Arguments: the folder of the generated package `client`, the server's address, a secret key, and the id of a file.
"""

import copy
import sys

sys.path.insert(0, sys.argv[1])

from client import AuthenticatedClient
from client.api.events import events_list
from client.api.files import files_contents
from client.api.references import references_create, references_list, references_retrieve
from client.models import Error, EventList, Reference, ReferencesCreateBody

_, _, base_url, key, file_id = sys.argv
client = AuthenticatedClient(base_url=base_url, token=key)


def create():
    return references_create.sync(client=client, body=ReferencesCreateBody(application="app_1"))


made = [create() for _ in range(5)]
assert all(isinstance(reference, Reference) for reference in made), made
assert references_retrieve.sync(client=client, id=made[0].id) == made[0]

seen = []
after = {}
while True:
    page = references_list.sync(client=client, limit=2, **after)
    seen += [reference.id for reference in page.data]
    if not page.has_more:
        break
    after = {"starting_after": seen[-1]}
assert seen[:5] == [reference.id for reference in reversed(made)], seen

refused = references_create.sync(client=client, body=ReferencesCreateBody(application="not an id"))
assert isinstance(refused, Error) and refused.error.code == "parameter_invalid", refused
assert refused.error.errors[0].param == "application", refused

contents = files_contents.sync(client=client, id=file_id)
assert contents.payload.read().startswith(b"%PDF-")

# A client of today accepts what later releases add.
later = {**made[0].to_dict(), "status": "planted", "planted": 1}
assert Reference.from_dict(copy.deepcopy(later)).to_dict() == later
later = refused.to_dict()
later["error"]["code"] = "planted_code"
assert Error.from_dict(copy.deepcopy(later)).error.code == "planted_code"
later = events_list.sync(client=client, limit=1).to_dict()
later["data"][0]["type"] = "planted.made"
later["data"][0]["data"]["object"] = {"object": "planted"}
event = EventList.from_dict(copy.deepcopy(later)).data[0]
assert event.type_ == "planted.made" and event.to_dict() == later["data"][0], event
