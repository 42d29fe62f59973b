# The broker: Debian's Redis, in memory only, as a user that is not root.
# BASE: Debian 12. Built from the folder above.
ARG BASE=debian:bookworm-slim@sha256:2424c1850714a4d94666ec928e24d86de958646737b1d113f5b2207be44d37d8
FROM ${BASE}
COPY prepare /opt/build/
RUN /opt/build/prepare redis-server
COPY services/start-redis /usr/local/bin/
USER 10003:10003
EXPOSE 6379
CMD ["start-redis"]
