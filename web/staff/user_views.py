"""Staff pages about users and their roles."""

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from web.accounts.models import User
from web.audit.access import member, staff_only
from web.site.paging import first_rows
from web.staff.forms import RolesForm, UserFilter
from web.staff.roles import ROLES, change_roles


@require_safe
@staff_only
def user_list(request: HttpRequest) -> HttpResponse:
    """Show users by name, with their roles."""
    form = UserFilter(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    users = User.objects.order_by("username")
    if name := chosen.get("name"):
        users = users.filter(Q(username__istartswith=name) | Q(email__iexact=name))
    if role := chosen.get("role"):
        users = users.filter(**{role: True})
    if after := request.GET.get("after", "").replace("\0", ""):  # PostgreSQL does not accept it
        users = users.filter(username__gt=after)
    rows, more = first_rows(users)
    given = {name: value for name, value in chosen.items() if value}
    following = f"?{urlencode({**given, 'after': rows[-1].username})}" if more else ""
    return render(request, "staff/users.html", {"rows": rows, "following": following, "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def user_roles(request: HttpRequest, username: str) -> HttpResponse:
    """Change the roles of a user. Only superusers do, and not their own."""
    if "\0" in username:  # PostgreSQL does not accept it
        raise Http404("User not found.")
    user = get_object_or_404(User, username__iexact=username)
    refusal = _refusal(member(request), user)
    initial = {name: getattr(user, name) for name in ROLES}
    form = RolesForm(None if refusal else request.POST or None, initial=initial)
    if not refusal and form.is_valid():
        wanted = {name: form.cleaned_data[name] for name in ROLES}
        if change_roles(member(request), user, wanted, reason=form.cleaned_data["reason"]):
            messages.success(request, f"The roles of {user.username} were changed.")
        return redirect("staff-users")
    context = {
        "form": form,
        "person": user,
        "refusal": refusal,
        "classes": [group.name for group in user.groups.order_by("name")],
    }
    status = 403 if refusal and request.method == "POST" else 422 if form.errors else 200
    return render(request, "staff/user_roles.html", context, status=status)


def _refusal(actor: User, user: User) -> str:
    """Return why `actor` may not change the roles of `user`; empty if they may."""
    if not actor.is_superuser:
        return "Only superusers change roles. Ask one of them."
    if actor.pk == user.pk:
        return "You cannot change your own roles. Ask another superuser."
    return ""
