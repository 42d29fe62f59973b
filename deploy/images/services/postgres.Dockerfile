# The database: Debian's PostgreSQL, started by our own script, as a user that is not root.
# BASE: Debian 12. Built from the folder above.
ARG BASE=debian:bookworm-slim@sha256:2424c1850714a4d94666ec928e24d86de958646737b1d113f5b2207be44d37d8
FROM ${BASE}
COPY prepare /opt/build/
# A fixed user id, because volumes outlive images and the package chooses a different id each time
RUN useradd --uid 10002 --user-group --no-create-home database && \
    /opt/build/prepare postgresql && rm -rf /var/lib/postgresql/* && \
    install -d -o 10002 -g 10002 -m 0700 /var/lib/postgresql/data && \
    ln -s /usr/lib/postgresql/*/bin /opt/postgresql
COPY services/start-postgres /usr/local/bin/
ENV PATH=/opt/postgresql:/usr/local/bin:/usr/bin:/bin
USER 10002:10002
EXPOSE 5432
# SIGINT is the fast shutdown: it ends sessions instead of waiting for them
STOPSIGNAL SIGINT
CMD ["start-postgres"]
