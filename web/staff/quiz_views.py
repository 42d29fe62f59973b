"""Staff pages about quizzes: list them, publish and hide them, upload one."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from problems.faults import PackageInvalid
from problems.package import MAX_TEXT_KIB
from problems.quiz_files import QuizFile, check_quiz
from web.audit.access import member, staff_only
from web.audit.models import AuditKind
from web.audit.services import log
from web.quizzes.models import Quiz
from web.quizzes.services import write

_MOST_ROWS = 500


class QuizForm(forms.Form):
    """The file of a quiz. `cleaned_data["file"]` is the quiz that it states."""

    file = forms.FileField(
        label="File", help_text="A TOML file in the format of quizzes. Its name is the slug: my-quiz.toml."
    )

    hidden = forms.BooleanField(required=False, label="Hide it from learners until you publish it")

    def clean_file(self) -> QuizFile:
        """Refuse files without a valid quiz, and list every fault.

        Also refuse names of quizzes that come from files.
        """
        upload: UploadedFile[Any] = self.cleaned_data["file"]
        path = PurePath(upload.name or "")
        if path.suffix != ".toml":
            raise ValidationError("The name of the file must end with .toml.")
        if (upload.size or 0) > MAX_TEXT_KIB * 1024:
            raise ValidationError(f"The file must have at most {MAX_TEXT_KIB} KiB.")
        if Quiz.objects.filter(slug=path.stem, from_files=True).exists():
            raise ValidationError("A quiz from the site's files has this name. Choose another file name.")
        try:
            return check_quiz(path.stem, upload.read().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValidationError("The file is not UTF-8. Save it as UTF-8.") from error
        except PackageInvalid as error:
            raise ValidationError(list(error.faults)) from error


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def quiz_list(request: HttpRequest) -> HttpResponse:
    """Show all quizzes, also unpublished ones, and take the file of a new or changed one."""
    form = QuizForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            quiz = write(form.cleaned_data["file"], from_files=False)
            log(member(request), AuditKind.QUIZ_WRITE, quiz, version=quiz.version[:12])
            if form.cleaned_data["hidden"] and quiz.published:
                _switch(request, quiz)
        messages.success(request, f"{quiz.title} saved{'' if quiz.published else ', hidden from learners'}.")
        return redirect("staff-quizzes") if quiz.published else redirect("quiz", quiz.slug)
    found = Quiz.objects.defer("source").annotate(attempted=Count("attempts"))
    quizzes = found.order_by(F("track_day").asc(nulls_last=True), "slug")[:_MOST_ROWS]
    status = 422 if request.method == "POST" else 200
    return render(request, "staff/quizzes.html", {"quizzes": quizzes, "form": form}, status=status)


@require_POST
@staff_only
def quiz_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish a quiz, or hide it if it is published."""
    with transaction.atomic():
        quiz = get_object_or_404(Quiz.objects.select_for_update(), slug=slug)
        _switch(request, quiz)
    messages.success(request, f"{quiz.title} {'published' if quiz.published else 'hidden'}.")
    return redirect("staff-quizzes")


def _switch(request: HttpRequest, quiz: Quiz) -> None:
    quiz.published = not quiz.published
    quiz.save(update_fields=["published"])
    log(member(request), AuditKind.QUIZ_SHOW if quiz.published else AuditKind.QUIZ_HIDE, quiz)
