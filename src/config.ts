import { join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from './errors.ts'

/** Reads texts that are separated by commas. */
const words = () =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  )

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const isLoaded = (given: readonly string[]): boolean => given.length === 1 && given[0] === 'LOADED'

/**
 * Checks the environment variables and sets their defaults. `.env.example` describes each of them; a project test compares the
 * two files.
 */
export const Variables = z.object({
  PLATBOOK_DATA: z.string().min(1).default('./data/local'),
  PLATBOOK_SOURCES: z.string().min(1).optional(),
  PLATBOOK_STATE: z
    .string()
    .refine(
      (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text),
      'a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE',
    )
    .optional(),
  PLATBOOK_SHARED: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DUCKDB_MEMORY_LIMIT: z
    .string()
    .regex(/^\d+(MB|GB)$/, 'such as 4GB or 512MB')
    .default('4GB'),
  DUCKDB_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
  RATE_LIMIT_PER_SECOND: z.coerce.number().min(1).default(50),
  RATE_LIMIT_BURST: z.coerce.number().min(1).default(100),
  SHED_AFTER_MS: z.coerce.number().min(0).default(150),
  CONNECTIONS_MOST: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  CONNECTIONS_MOST_PER_ADDRESS: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
  TRUSTED_PROXIES: z.string().min(1).optional(),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  UPGRADE_URL: z.url().default('https://example.com/platbook/plans'),
  // Two tokens, so that callers can change to a new one while the old one still works.
  INTERNAL_TOKENS: words()
    .pipe(
      z
        .array(z.string().regex(/^\S{24,}$/, 'a token has at least 24 characters'))
        .max(2, 'takes two tokens at most, separated by a comma'),
    )
    .default([]),
  // More than a year, because counties deliver rolls and sales files up to a year late.
  EVENT_NEWS_DAYS: z.coerce.number().int().min(1).default(400),
  EVENT_STATES: words()
    .pipe(z.array(z.string().toUpperCase()))
    .refine(
      (given) => given.length > 0 && (isLoaded(given) || given.every((code) => /^[A-Z]{2}$/.test(code))),
      'takes two-letter state codes separated by commas, such as TX,NY,FL, or the single word loaded',
    )
    .transform((given): 'loaded' | readonly string[] => (isLoaded(given) ? 'loaded' : [...new Set(given)]))
    .default(['TX', 'NY', 'FL']),
  EVENT_SEARCH_TIMEOUT_MS: z.coerce.number().int().min(1).default(5_000),
  EVENT_SEARCH_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
  EVENT_SEARCH_MEMORY_LIMIT: z
    .string()
    .regex(/^\d+(MB|GB)$/, 'such as 1GB or 512MB')
    .default('512MB'),
  SUPPRESSED_NAMES: z.enum(['withheld', 'public_record']).default('withheld'),
  SCHEDULE_NIGHTLY_AT: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'such as 03:30')
    .default('03:30'),
  SCHEDULE_ZONE: z
    .string()
    .refine(isTimeZone, 'a time zone such as America/New_York or UTC')
    .default('America/New_York'),
  UPLOADS_PER_ACCOUNT: z.coerce.number().int().min(1).default(4),
  UPLOADS_AT_ONCE: z.coerce.number().int().min(1).default(64),
  UPLOAD_LEAST_BYTES_PER_SECOND: z.coerce.number().min(0).default(1_000),
  WEBHOOK_CALLS_PER_ACCOUNT: z.coerce.number().int().min(1).default(4),
  ENRICHMENT_MOST_ROWS: z.coerce.number().int().min(1).default(5_000_000),
  ENRICHMENT_MOST_UNZIPPED_MB: z.coerce.number().int().min(1).default(4_096),
  ENRICHMENT_MOST_RATIO: z.coerce.number().min(1).default(200),
  ENRICHMENT_OPEN_JOBS: z.coerce.number().int().min(1).default(10),
  ENRICHMENT_STORED_MB: z.coerce.number().int().min(1).default(10_240),
  ENRICHMENT_SMALL_ROWS: z.coerce.number().int().min(1).default(20_000),
  ENRICHMENT_KEEP_FREE_MB: z.coerce.number().int().min(0).default(1_024),
  ENRICHMENT_KEEP_DAYS: z.coerce.number().int().min(1).default(30),
  SNAPSHOT_VERIFY_MINUTES: z.coerce.number().min(1).max(40_000).default(360),
  SNAPSHOT_MAX_AGE_HOURS: z.coerce.number().min(1).optional(),
  NOTIFY_URL: z.url({ protocol: /^https?$/ }).optional(),
  NOTIFY_COMMAND: z.string().min(1).optional(),
  NOTIFY_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  NOTIFY_EMAIL_TO: words().pipe(z.array(z.email())).default([]),
  NOTIFY_EMAIL_FROM: z.email().optional(),
  NOTIFY_DEADMAN_URL: z.url({ protocol: /^https?$/ }).optional(),
  BACKUP_WITHIN_HOURS: z.coerce.number().int().min(0).max(10_000).default(48),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  AWS_SESSION_TOKEN: z.string().min(1).optional(),
  AWS_REGION: z.string().min(1).optional(),
  AWS_DEFAULT_REGION: z.string().min(1).optional(),
  AWS_ENDPOINT_URL_S3: z.url({ protocol: /^https?$/ }).optional(),
  AWS_ENDPOINT_URL: z.url({ protocol: /^https?$/ }).optional(),
  SNAPSHOT_STORE: z.string().min(1).optional(),
  SPARK_HOME: z.string().min(1).optional(),
  SPARK_CONNECT_AUTHENTICATE_TOKEN: z.string().min(1).optional(),
  SNAPSHOT_KEEP_COUNT: z.coerce.number().int().min(1).default(3),
  SNAPSHOT_SHARDS: z.coerce.number().int().min(1).max(256).default(1),
  PLATBOOK_URL: z.url().optional(),
  WEBHOOK_SECRETS_KEY: words()
    .pipe(z.array(z.base64().length(44, 'must be 32 bytes in base64')))
    .default([]),
  WEBHOOK_TEST_HOSTS: words().pipe(z.array(z.string().toLowerCase())).default([]),
  WEBHOOKS_PER_ACCOUNT: z.coerce.number().int().min(1).default(100),
  WEBHOOKS_PER_HOST: z.coerce.number().int().min(1).default(20),
  WEBHOOK_CALLS_PER_MINUTE: z.coerce.number().int().min(1).default(30),
  WEBHOOK_CHALLENGE: z.enum(['shared', 'always', 'never']).default('shared'),
  WEBHOOK_KEEP_DAYS: z.coerce.number().int().min(7).default(30),
})
const Env = Variables.superRefine(({ NOTIFY_SMTP_URL, NOTIFY_EMAIL_TO, NOTIFY_EMAIL_FROM }, context) => {
  if (NOTIFY_SMTP_URL === undefined) return
  const message = 'must be set when NOTIFY_SMTP_URL is set'
  if (NOTIFY_EMAIL_TO.length === 0) context.addIssue({ code: 'custom', path: ['NOTIFY_EMAIL_TO'], message })
  if (NOTIFY_EMAIL_FROM === undefined)
    context.addIssue({ code: 'custom', path: ['NOTIFY_EMAIL_FROM'], message })
})
type Env = z.output<typeof Env>

/** The absolute paths of all data, below one folder (`PLATBOOK_DATA`). */
export interface DataPaths {
  readonly root: string
  readonly landing: string
  readonly warehouse: string
  /** The trained link model. A folder beside it holds the state of incremental link runs. */
  readonly linkModel: string
  readonly snapshots: string
  /** Snapshots of invented people, from which requests with test keys are answered. */
  readonly testSnapshots: string
  readonly state: string
  /** Person ids and their history. They cannot be rebuilt from the sources. */
  readonly identities: string
  readonly out: string
  /** Files of runs in units. A finished run removes its files. */
  readonly work: string
}

export type Config = Readonly<
  Env & {
    paths: DataPaths
    /** The place of the state: PLATBOOK_STATE, or else the path of the SQLite file. */
    state: string
  }
>

/**
 * Returns the configuration that `env` describes; `overrides.data` replaces PLATBOOK_DATA. Throws `bad_config` with one line per
 * faulty variable. Only `src/cli/main.ts`, tests and benches call this function; all other code gets a `Config` as an argument.
 */
export function loadConfig(env: NodeJS.ProcessEnv, overrides: { data?: string | undefined } = {}): Config {
  const result = Env.safeParse({
    ...env,
    ...(overrides.data === undefined ? {} : { PLATBOOK_DATA: overrides.data }),
  })
  if (!result.success) {
    const given: Record<string, string | undefined> = {
      ...env,
      PLATBOOK_DATA: overrides.data ?? env['PLATBOOK_DATA'],
    }
    const lines = result.error.issues.map((issue) => issueLine(issue, given))
    throw new AppError('bad_config', `the environment is not usable:\n${lines.join('\n')}`)
  }
  const paths = dataPaths(result.data.PLATBOOK_DATA)
  return Object.freeze({ ...result.data, paths, state: result.data.PLATBOOK_STATE ?? paths.state })
}

/** Matches the names of variables whose values are secret. Error messages never show these values. */
const SECRET = /TOKEN|SECRET|KEY|PASSWORD|SMTP|URL|STATE$/

/** Returns one line that names the variable, its value (hidden if it is secret) and what is wrong with it. */
function issueLine({ path, message }: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(path[0] ?? '')
  const value = given[name]
  const shown =
    value === undefined
      ? 'is not set'
      : SECRET.test(name)
        ? `is set to ${value.length} characters, not shown here`
        : `is set to ${JSON.stringify(value.slice(0, 80))}`
  return `  ${name} ${shown}: ${message}`
}

/** Returns the paths of all data below `folder`, which may be relative to the working directory. */
export function dataPaths(folder: string): DataPaths {
  const root = resolve(folder)
  return Object.freeze({
    root,
    landing: join(root, 'landing'),
    warehouse: join(root, 'warehouse', 'warehouse.duckdb'),
    linkModel: join(root, 'warehouse', 'link-model.json'),
    snapshots: join(root, 'snapshots'),
    testSnapshots: join(root, 'test-snapshots'),
    state: join(root, 'state', 'state.sqlite'),
    identities: join(root, 'state', 'identities'),
    out: join(root, 'out'),
    work: join(root, 'work'),
  })
}
