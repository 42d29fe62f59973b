# Runs authors' generators and references: Python, NumPy and CuPy with the CUDA libraries that it loads.
# BASE: Debian or Ubuntu with NVIDIA's runtime libraries; if it has no CuPy, the build installs CuPy from the package
# index. References that import PyTorch (oracle = "torch", as imported problems do) need a BASE with PyTorch for the GPU.
ARG BASE=nvidia/cuda:13.0.1-runtime-ubuntu24.04
FROM ${BASE}
ARG PACKAGES=yes
ARG PIP_INDEX_URL
COPY prepare seal gpu.txt /opt/warpcourt/
RUN /opt/warpcourt/prepare python3
RUN if [ "$PACKAGES" = yes ] && ! python3 -c 'import cupy' 2>/dev/null; then \
      /opt/warpcourt/prepare python3-pip && \
      pip install --break-system-packages --no-cache-dir --require-hashes --no-deps -r /opt/warpcourt/gpu.txt; \
    fi
RUN /opt/warpcourt/seal
