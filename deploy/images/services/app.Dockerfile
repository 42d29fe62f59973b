# Warpcourt's services: `web` serves pages, migrates and sweeps, `worker` judges on CPUs, `gpu-worker` on GPUs.
# BASE: Debian 12. Built from the root of the repository. If the folder build/wheels exists (deploy/fetch-wheels),
# packages come from it and not from the index. No image contains the address of the index.
ARG BASE=debian:bookworm-slim@sha256:2424c1850714a4d94666ec928e24d86de958646737b1d113f5b2207be44d37d8
FROM ${BASE} AS system
COPY deploy/images/prepare /opt/build/
# pg_dump for backups, certificates for mail and single sign-on. compose.yaml mounts a /proc at /opt/proc/own, which no user
# can reach, so that the kernel lets sandboxes mount their own /proc
RUN /opt/build/prepare ca-certificates postgresql-client python3 && \
    useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/warpcourt warpcourt && \
    install -d -o warpcourt -g warpcourt /var/lib/warpcourt /var/lib/warpcourt/data /var/backups/warpcourt && \
    install -d -m 0700 /opt/proc && mkdir /opt/proc/own && \
    ln -s /srv/warpcourt/deploy/warpcourt-admin /usr/local/bin/
# No bytecode is written at run time: the root is read-only
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    WARPCOURT_DATA_DIR=/var/lib/warpcourt/data WARPCOURT_RUNTIME_DIR=/run/warpcourt \
    WARPCOURT_BACKUP_DIR=/var/backups/warpcourt
WORKDIR /srv/warpcourt

FROM system AS code
COPY manage.py pyproject.toml ./
COPY deploy deploy
COPY judge judge
COPY problems problems
COPY sandbox sandbox
COPY web web
COPY worker worker
RUN python3 -m compileall -q .

FROM system AS packages
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG S3=no
RUN /opt/build/prepare python3-venv && python3 -m venv /opt/venv
COPY deploy/images/services/install deploy/requirements/run.txt deploy/requirements/otel.txt deploy/requirements/s3.txt build/wheel[s] /opt/build/wheels/
RUN /opt/build/wheels/install run otel && if [ "$S3" = yes ]; then /opt/build/wheels/install s3; fi

FROM system AS runtime
COPY --from=packages /opt/venv /opt/venv

FROM runtime AS web
COPY --from=code /srv/warpcourt /srv/warpcourt
USER 10001:10001
EXPOSE 8000
CMD ["python3", "-m", "web.serve"]

FROM packages AS toolchain
ARG PACKAGES=yes
ARG TRITON=yes
ARG TORCH=torch
COPY deploy/requirements/nvcc.txt deploy/requirements/triton.txt /opt/build/wheels/
RUN mkdir /opt/added; \
    if [ "$PACKAGES" = yes ]; then \
      export PIP_TARGET=/opt/added && /opt/build/wheels/install nvcc && \
      if [ "$TRITON" = yes ]; then /opt/build/wheels/install triton "$TORCH"; fi; \
    fi

FROM runtime AS worker-runtime
RUN /opt/build/prepare bubblewrap g++ python3-dev
COPY --from=toolchain /opt/added /opt/venv/lib/python3.11/site-packages

FROM worker-runtime AS worker
COPY --from=code /srv/warpcourt /srv/warpcourt
USER 10001:10001
CMD ["celery", "--quiet", "-A", "worker.app", "worker", "--without-gossip", "--without-mingle"]

FROM packages AS gpu-toolchain
ARG PACKAGES=yes
COPY deploy/requirements/gpu.txt /opt/build/wheels/
RUN mkdir /opt/added; \
    if [ "$PACKAGES" = yes ]; then PIP_TARGET=/opt/added /opt/build/wheels/install gpu; fi

FROM worker-runtime AS gpu-worker
COPY --from=gpu-toolchain /opt/added /opt/venv/lib/python3.11/site-packages
COPY --from=code /srv/warpcourt /srv/warpcourt
CMD ["python3", "-m", "worker.gpu_host"]
