# Runs compiled CUDA programs: only the C++ library. The container toolkit adds the driver's libraries.
# BASE: Debian or Ubuntu, not older than the compile image's and the host's, whose programs run here.
ARG BASE=ubuntu:24.04
FROM ${BASE}
COPY prepare seal /opt/warpcourt/
RUN /opt/warpcourt/prepare libstdc++6
RUN /opt/warpcourt/seal
