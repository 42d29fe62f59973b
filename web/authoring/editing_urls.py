"""Addresses of the tabs for judging, proofs, versions and history."""

from django.urls import path

from web.authoring.views import cases, comments, files, history, plain, proof, publish, solutions, texts

_AT = "author/<slug:slug>"

urlpatterns = [
    path(f"{_AT}/reference", texts.reference, name="author-reference"),
    path(f"{_AT}/reference/preview", texts.preview_start, name="author-preview-start"),
    path(f"{_AT}/reference/preview/<int:pk>", texts.preview, name="author-preview"),
    path(f"{_AT}/cases", cases.cases, name="author-cases"),
    path(f"{_AT}/checking", plain.checking, name="author-checking"),
    path(f"{_AT}/solutions", solutions.solutions, name="author-solutions"),
    path(f"{_AT}/solutions/<str:file>", solutions.solution, name="author-solution"),
    path(f"{_AT}/limits", plain.limits, name="author-limits"),
    path(f"{_AT}/formulas", plain.formulas, name="author-formulas"),
    path(f"{_AT}/editorial", texts.editorial, name="author-editorial"),
    path(f"{_AT}/editorial/preview", texts.editorial_preview, name="author-editorial-preview"),
    path(f"{_AT}/files", files.files, name="author-files"),
    path(f"{_AT}/files/<path:path>", files.file, name="author-file"),
    path(f"{_AT}/comments/<int:pk>/settle", comments.resolve, name="author-comment-resolve"),
    path(f"{_AT}/comments/<path:path>", comments.comments, name="author-comments"),
    path(f"{_AT}/conflict", history.conflict, name="author-conflict"),
    path(f"{_AT}/history", history.history, name="author-history"),
    path(f"{_AT}/history/<int:number>", history.revision, name="author-revision"),
    path(f"{_AT}/history/<int:number>/restore", history.restore, name="author-restore"),
    path(f"{_AT}/proof", proof.proof, name="author-proof"),
    path(f"{_AT}/proof/prove", proof.prove, name="author-prove"),
    path(f"{_AT}/proof/<int:pk>", proof.run, name="author-proof-run"),
    path(f"{_AT}/proof/<int:pk>/cancel", proof.cancel, name="author-proof-cancel"),
    path(f"{_AT}/publish", publish.publish, name="author-publish"),
    path(f"{_AT}/publish/withdraw", publish.withdraw, name="author-withdraw"),
    path(f"{_AT}/versions/<int:number>", publish.version, name="author-version"),
    path(f"{_AT}/versions/<int:number>/live", publish.go_live, name="author-version-live"),
    path(f"{_AT}/versions/<int:number>/archive", publish.version_archive, name="author-version-archive"),
    path(f"{_AT}/rejudges/<int:pk>", publish.rejudge, name="author-rejudge"),
    path(f"{_AT}/rejudges/<int:pk>/apply", publish.rejudge_apply, name="author-rejudge-apply"),
    path(f"{_AT}/rejudges/<int:pk>/discard", publish.rejudge_discard, name="author-rejudge-discard"),
    path(f"{_AT}/rejudges/<int:pk>/cancel", publish.rejudge_cancel, name="author-rejudge-cancel"),
]
