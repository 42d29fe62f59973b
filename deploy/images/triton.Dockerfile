# Runs Triton programs: Python, PyTorch, Triton, and the C compiler with which Triton builds its launchers.
# BASE: Debian or Ubuntu; if it has no PyTorch, the build installs it from the package index, with gigabytes of CUDA.
ARG BASE=ubuntu:24.04
FROM ${BASE}
ARG PACKAGES=yes
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG TORCH=torch
COPY prepare seal triton.txt /opt/warpcourt/
RUN /opt/warpcourt/prepare gcc libc6-dev python3 python3-dev
RUN if [ "$PACKAGES" = yes ] && ! python3 -c 'import torch, triton' 2>/dev/null; then \
      /opt/warpcourt/prepare python3-pip && \
      pip install --break-system-packages --no-cache-dir --require-hashes --no-deps -r /opt/warpcourt/triton.txt && \
      pip install --break-system-packages --no-cache-dir "$TORCH" numpy; \
    fi
RUN /opt/warpcourt/seal
