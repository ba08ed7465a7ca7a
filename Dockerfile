# The Node of the image runs the service, so that the one of the optional dependencies is left out.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
COPY capability capability
COPY profiles profiles
COPY searchparameters searchparameters
COPY src src
COPY LICENSE README.md ./

FROM node:26-slim
ENV NODE_ENV=production CRS_HOST=0.0.0.0 CRS_STORE=sqlite:/data/records.sqlite CRS_LOG_FORMAT=json
WORKDIR /app
COPY --from=build --chown=root:root /app /app
RUN mkdir --mode=700 /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "src/cli/healthcheck.ts"]
CMD ["node", "src/start.js", "serve"]
