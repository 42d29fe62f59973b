# The TLS proxy: Debian's Caddy, as a user that is not root.
# BASE: Debian 12. Built from the folder above.
ARG BASE=debian:bookworm-slim@sha256:2424c1850714a4d94666ec928e24d86de958646737b1d113f5b2207be44d37d8
FROM ${BASE}
COPY prepare /opt/build/
RUN /opt/build/prepare ca-certificates caddy && \
    install -d -o 10004 -g 10004 -m 0700 /var/lib/proxy
COPY services/Caddyfile /etc/caddy/Caddyfile
ENV XDG_DATA_HOME=/var/lib/proxy XDG_CONFIG_HOME=/tmp
USER 10004:10004
EXPOSE 8080 443
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
