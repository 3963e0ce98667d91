// The health check of the image: exit code 0 when the service of this container answers.
const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/health`
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
)
process.exitCode = isHealthy ? 0 : 1
