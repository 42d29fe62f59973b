"""Tests the rights of users in a workspace, and who may change them."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db.models import F
from django.template import Context, Template

from tests.conftest import new_problem
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.authoring import queries, rights
from web.authoring.models import Membership, Role, Workspace
from web.authoring.services import comments, members, workspaces
from web.notifications import mailing
from web.notifications.models import Kind, Notification
from web.notifications.queries import kinds_of
from web.notifications.services import choose_mail

pytestmark = pytest.mark.django_db
REFERENCE = "reference.py"
ALL = [rights.VIEW, rights.COMMENT, rights.PROVE, rights.EDIT, rights.PUBLISH, rights.SHARE]


def may(person, workspace) -> list[str]:
    # As another request would find both.
    fresh = Workspace.objects.get(pk=workspace.pk)
    return [name for name in ALL if person.has_perm(name, fresh)]


def test_each_role_may_do_more_than_the_one_below(workspace, instructor, member, stranger):
    assert may(stranger, workspace) == []
    assert may(member(Role.VIEWER), workspace) == ALL[:1]
    assert may(member(Role.REVIEWER), workspace) == ALL[:3]
    assert may(member(Role.EDITOR), workspace) == ALL[:4]
    assert may(instructor, workspace) == ALL


def test_instructors_and_learners_see_nothing_of_others(workspace, owner, teammate):
    teammate.is_instructor = True
    teammate.save()
    for person in (owner, teammate):
        assert may(person, workspace) == []
        assert queries.find_workspace(person, workspace.slug) is None
        assert not queries.visible_workspaces(person).exists()


def test_staff_may_do_everything(workspace, staff):
    assert may(staff, workspace) == ALL
    assert queries.find_workspace(staff, workspace.slug) == workspace


def test_who_is_no_instructor_any_more_publishes_nothing(workspace, instructor):
    instructor.is_instructor = False
    instructor.save()
    person = User.objects.get(pk=instructor.pk)
    assert rights.PUBLISH not in may(person, workspace)
    assert not person.has_perm(rights.CREATE)


def test_instructors_create(instructor, owner, staff, stranger):
    allowed = [person.has_perm(rights.CREATE) for person in (instructor, staff, owner, stranger)]
    assert allowed == [True, True, False, False]


def test_nobody_writes_in_an_archived_one(workspace, instructor):
    workspaces.archive(workspace, workspace.owner)
    assert not {rights.EDIT, rights.PROVE} & set(may(instructor, workspace))
    workspaces.take_back(workspace, workspace.owner)
    assert may(instructor, workspace) == ALL


def test_templates_ask_the_same(workspace, instructor, owner):
    text = '{% load rules %}{% has_perm "authoring.edit" person workspace as yes %}{{ yes }}'
    shown = [
        Template(text).render(Context({"person": person, "workspace": workspace}))
        for person in (instructor, owner)
    ]
    assert shown == ["True", "False"]


def test_a_name_is_given_once(workspace, instructor, staff, vector_add):
    with pytest.raises(workspaces.SlugTaken):
        workspaces.create(instructor, "my-sum", vector_add)
    with pytest.raises(workspaces.SlugMalformed):
        workspaces.create(instructor, "My sum", vector_add)


def test_a_problem_of_the_site_is_written_by_staff_alone(instructor, staff, vector_add):
    new_problem("relu")
    with pytest.raises(workspaces.SlugTaken):
        workspaces.create(instructor, "relu", vector_add)
    assert workspaces.create(staff, "relu", vector_add).owner == staff


def test_a_clone_has_the_files_and_nothing_else(workspace, owner, instructor, member):
    member(Role.EDITOR)
    copy = workspaces.clone(workspace, owner, "other-sum")
    assert queries.read(copy) == queries.read(workspace)
    assert (copy.owner, [*queries.list_members(copy)]) == (owner, [])


def test_roles_are_given_changed_and_ended_and_noted(workspace, instructor, owner):
    members.set_role(workspace, instructor, owner, Role.VIEWER)
    members.set_role(workspace, instructor, owner, Role.EDITOR)
    assert queries.role_of(owner, workspace) == Role.EDITOR
    assert members.remove(workspace, instructor, owner)
    assert not members.remove(workspace, instructor, owner)
    assert queries.role_of(owner, workspace) is None
    entries = AuditEntry.objects.filter(kind=AuditKind.MEMBER).order_by("pk")
    assert [entry.details["role"] for entry in entries] == [
        [None, "viewer"],
        ["viewer", "editor"],
        ["editor", None],
    ]


def test_an_owner_hands_over_to_an_instructor(workspace, instructor, owner, teammate):
    with pytest.raises(members.MemberRefused, match="instructor"):
        members.set_role(workspace, instructor, owner, Role.OWNER)
    with pytest.raises(members.MemberRefused, match="owner first"):
        members.set_role(workspace, instructor, instructor, Role.EDITOR)
    with pytest.raises(members.MemberRefused, match="owner first"):
        members.remove(workspace, instructor, instructor)
    teammate.is_instructor = True
    teammate.save()
    with pytest.raises(members.MemberRefused, match="no longer offers"):
        members.accept(workspace, teammate)
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    assert workspace.owner == instructor
    assert queries.role_of(teammate, workspace) == Role.EDITOR
    members.accept(workspace, teammate)
    assert workspace.owner == teammate
    assert Membership.objects.get().user == instructor
    entries = AuditEntry.objects.filter(kind=AuditKind.MEMBER).order_by("pk")
    assert [(entry.details["person"], entry.details["role"]) for entry in entries] == [
        ("teammate", [None, "editor"]),
        ("instructor", ["owner", "editor"]),
        ("teammate", ["editor", "owner"]),
    ]


def test_an_offer_of_ownership_is_announced(workspace, instructor, teammate):
    User.objects.filter(pk=teammate.pk).update(is_instructor=True)
    teammate.refresh_from_db()
    EmailAddress.objects.create(user=teammate, email="teammate@example.org", verified=True, primary=True)
    members.set_role(workspace, instructor, teammate, Role.EDITOR)
    offers = Notification.objects.filter(kind=Kind.OFFER)
    assert not offers.exists()
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    told = offers.get()
    assert (told.user, told.url) == (teammate, "/author/my-sum/people")
    assert told.text == "instructor offers you the ownership of Vector addition."
    mailing.send_due()
    assert mail.outbox[0].to == ["teammate@example.org"]
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    assert offers.filter(user=teammate).count() == 1, "the same offer"
    members.decline(workspace, teammate)
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    assert offers.filter(user=teammate).count() == 2, "a new offer"


def test_a_repeated_offer_is_mailed_once_a_day(workspace, instructor, teammate, owner, vector_add):
    User.objects.filter(pk__in=[teammate.pk, owner.pk]).update(is_instructor=True)
    for user in (teammate, owner):
        user.refresh_from_db()
        EmailAddress.objects.create(user=user, email=f"{user}@example.org", verified=True, primary=True)

    def offer_in_turn() -> list[str]:
        mail.outbox.clear()
        for user in (teammate, owner, teammate, owner):
            members.set_role(workspace, instructor, user, Role.OWNER)
            mailing.send_due()
        return [address for message in mail.outbox for address in message.to]

    assert offer_in_turn() == ["teammate@example.org", "owner@example.org"]
    assert teammate.notifications.count() == owner.notifications.count() == 2
    assert offer_in_turn() == []
    workspace = workspaces.create(instructor, "another", vector_add)
    assert offer_in_turn() == [], "the same owner"
    Notification.objects.update(created=F("created") - timedelta(days=1))
    assert offer_in_turn() == ["teammate@example.org", "owner@example.org"]


@pytest.mark.parametrize("how", ["declined", "another role", "removed", "offered to another", "accepted"])
def test_an_offer_of_ownership_ends(workspace, instructor, teammate, owner, how):
    User.objects.filter(pk__in=[teammate.pk, owner.pk]).update(is_instructor=True)
    for user in (teammate, owner):
        user.refresh_from_db()
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    if how == "declined":
        assert members.decline(workspace, teammate)
        assert not members.decline(workspace, teammate)
    elif how == "another role":
        members.set_role(workspace, instructor, teammate, Role.EDITOR)
    elif how == "removed":
        members.remove(workspace, instructor, teammate)
    elif how == "offered to another":
        members.set_role(workspace, instructor, owner, Role.OWNER)
    else:
        members.accept(workspace, teammate)
    assert not Notification.objects.filter(user=teammate, kind=Kind.OFFER, read=None).exists()
    with pytest.raises(members.MemberRefused, match="no longer offers"):
        members.accept(workspace, teammate)
    assert workspace.owner == (teammate if how == "accepted" else instructor)


def _leave(workspace: Workspace, person: User) -> None:
    members.remove(workspace, person, person)


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (members.accept, "The offer was accepted, so you are now an editor."),
        (members.decline, "The offer was declined, so you still own the problem."),
        (_leave, "The offer was declined, so you still own the problem."),
    ],
)
def test_the_owner_learns_how_an_offer_was_answered(workspace, instructor, teammate, answer, detail):
    User.objects.filter(pk=teammate.pk).update(is_instructor=True)
    teammate.refresh_from_db()
    for _ in range(1 if answer is members.accept else 2):
        members.set_role(workspace, instructor, teammate, Role.OWNER)
        answer(workspace, teammate)
    [told] = Notification.objects.filter(user=instructor, read=None)
    assert (told.kind, told.detail, told.url) == (Kind.HANDOVER, detail, "/author/my-sum/people")
    assert told.text == "teammate answered your offer of the ownership of Vector addition."


def test_staff_hand_a_problem_over_at_once(workspace, staff, teammate, instructor):
    members.set_role(workspace, staff, teammate, Role.EDITOR)
    User.objects.filter(pk=teammate.pk).update(is_instructor=True)
    teammate.refresh_from_db()
    members.set_role(workspace, staff, teammate, Role.OWNER)
    assert workspace.owner == teammate
    assert _role_news(teammate) == ["You are now the owner."]
    assert _role_news(instructor) == ["Another user is now the owner. You are now an editor."]


def _role_news(user: User) -> list[str]:
    unread = Notification.objects.filter(user=user, kind=Kind.ROLE, read=None)
    return [*unread.values_list("detail", flat=True)]


def test_users_learn_that_their_role_changed(workspace, instructor, owner, client):
    members.set_role(workspace, instructor, owner, Role.REVIEWER)
    assert _role_news(owner) == ["You are now a reviewer."]
    members.set_role(workspace, instructor, owner, Role.REVIEWER)
    members.set_role(workspace, instructor, owner, Role.EDITOR)
    assert _role_news(owner) == ["You are now an editor, no longer a reviewer."], "only the latest is unread"
    told = Notification.objects.get(user=owner, read=None)
    assert (told.actor, told.url) == (instructor, "/author/my-sum/people")
    assert told.text == "instructor changed your access to Vector addition."
    members.remove(workspace, instructor, owner)
    told = Notification.objects.get(user=owner, read=None)
    assert (told.detail, told.url) == ("You no longer have access.", "/author")
    client.force_login(owner)
    assert client.get(f"/notifications/{told.pk}", follow=True).status_code == 200
    assert not Notification.objects.exclude(user=owner).exists()


def test_users_are_not_told_what_they_did_or_were_offered(workspace, instructor, owner, teammate):
    members.set_role(workspace, instructor, owner, Role.VIEWER)
    Notification.objects.all().delete()
    members.remove(workspace, owner, owner)
    assert not Notification.objects.exists()
    User.objects.filter(pk=teammate.pk).update(is_instructor=True)
    teammate.refresh_from_db()
    members.set_role(workspace, instructor, teammate, Role.OWNER)
    assert [row.kind for row in Notification.objects.all()] == [Kind.OFFER], "which makes an editor too"


def test_a_changed_role_is_mailed_only_to_users_who_choose_it(workspace, instructor, owner):
    EmailAddress.objects.create(user=owner, email="owner@example.org", verified=True, primary=True)
    members.set_role(workspace, instructor, owner, Role.VIEWER)
    assert mailing.send_due() == 0
    choose_mail(owner, [Kind.ROLE], kinds_of(owner))
    members.set_role(workspace, instructor, owner, Role.EDITOR)
    assert mailing.send_due() == 1
    assert mail.outbox[-1].subject == "[Warpcourt] instructor changed your access to Vector addition."
    assert "You are now an editor, no longer a viewer." in mail.outbox[-1].body


def test_comments_are_for_a_line_and_are_settled(workspace, instructor, member):
    reviewer = member(Role.REVIEWER)
    said = comments.comment(workspace, reviewer, path=REFERENCE, line=3, text=" Why?\r\n ")
    whole = comments.comment(workspace, reviewer, path=REFERENCE, line=None, text="All of it")
    assert said.text == "Why?"
    assert [*queries.list_comments(workspace, REFERENCE)] == [whole, said]
    comments.resolve(said, instructor)
    assert [*queries.list_comments(workspace, resolved=False)] == [whole]
    comments.resolve(said, instructor, resolved=False)
    assert queries.list_comments(workspace, resolved=False).count() == 2


@pytest.mark.parametrize(
    ("path", "line", "text"),
    [
        (REFERENCE, 1, " "),
        ("none.py", 1, "x"),
        (REFERENCE, 0, "x"),
        (REFERENCE, 1, "x" * 4001),
    ],
)
def test_a_comment_that_says_nothing_is_refused(workspace, instructor, path, line, text):
    with pytest.raises(comments.CommentRefused):
        comments.comment(workspace, instructor, path=path, line=line, text=text)
