# Where compiled CUDA programs run that may use cuBLAS and cuFFT: the C++ library and these two.
# BASE: Debian or Ubuntu as for the image cuda, best with the libraries of the compile image's toolkit at the same path;
# if it has none, the package index has them.
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
