# Compiles submissions, without a GPU: nvcc, a host compiler, and Python for the compile driver.
# BASE: Debian or Ubuntu, preferably with NVIDIA's toolkit in /usr/local/cuda, with cuBLAS and cuFFT. Otherwise the build
# installs the toolkit from the package index.
ARG BASE=nvidia/cuda:13.0.1-devel-ubuntu24.04
FROM ${BASE}
ARG PACKAGES=yes
ARG PIP_INDEX_URL
COPY prepare seal link-libraries nvcc.txt libraries.txt /opt/warpcourt/
RUN /opt/warpcourt/prepare g++ python3
RUN if [ "$PACKAGES" = yes ] && ! [ -x /usr/local/cuda/bin/nvcc ]; then \
      /opt/warpcourt/prepare python3-pip && \
      pip install --break-system-packages --no-cache-dir --require-hashes --no-deps \
        -r /opt/warpcourt/nvcc.txt -r /opt/warpcourt/libraries.txt && \
      /opt/warpcourt/link-libraries; \
    fi
RUN /opt/warpcourt/seal
