# Runs compiled CUDA programs that may use cuBLAS and cuFFT: the C++ library and these two libraries.
# BASE: Debian or Ubuntu as for the image cuda, preferably with the libraries of the compile image's toolkit at the
# same path. Otherwise the build installs them from the package index.
ARG BASE=nvidia/cuda:13.0.1-runtime-ubuntu24.04
FROM ${BASE}
ARG PACKAGES=yes
ARG PIP_INDEX_URL
COPY prepare seal link-libraries libraries.txt /opt/warpcourt/
RUN /opt/warpcourt/prepare libstdc++6
RUN if [ "$PACKAGES" = yes ] && ! ldconfig -p | grep -q 'libcublas\.so'; then \
      /opt/warpcourt/prepare python3-pip && \
      pip install --break-system-packages --no-cache-dir --require-hashes --no-deps -r /opt/warpcourt/libraries.txt && \
      /opt/warpcourt/link-libraries; \
    fi
RUN /opt/warpcourt/seal
