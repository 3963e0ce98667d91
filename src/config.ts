import { join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from './errors.ts'

// Separated by commas.
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

const Variables = z.object({
  PLATBOOK_DATA: z.string().min(1).default('./data/local'),
  PLATBOOK_SOURCES: z.string().min(1).optional(),
  /** Whether the group of the account may read and write the data, as `--shared` says. */
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
  /** Requests that have waited this long for their turn are refused with 503. */
  SHED_AFTER_MS: z.coerce.number().min(0).default(150),
  /** Connections of one process; the limit of open files can lower it. */
  CONNECTIONS_MOST: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** Beyond so many connections of one address its idle ones are closed. */
  CONNECTIONS_MOST_PER_ADDRESS: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
  /** Addresses or networks, separated by commas, whose X-Forwarded-For tells the caller's address. */
  TRUSTED_PROXIES: z.string().min(1).optional(),
  /** Where Prometheus finds /metrics; nowhere when it is not set. */
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** Where a caller over the monthly cap is sent. */
  UPGRADE_URL: z.url().default('https://example.com/platbook/plans'),
  /** What the callers of `/internal/…` send as bearer token; two, so that one can be replaced while the other is in use. */
  INTERNAL_TOKENS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((token) => token.trim())
        .filter((token) => token !== ''),
    ) // prettier-ignore
    .refine((tokens) => tokens.length <= 2, 'takes two tokens at most, separated by a comma')
    .refine(
      (tokens) => tokens.every((token) => /^\S{24,}$/.test(token)),
      'a token has at least 24 characters',
    ),
  /** A deed recorded longer ago is history: searched, but told to nobody. Rolls and sales files come up to a year late. */
  EVENT_NEWS_DAYS: z.coerce.number().int().min(1).default(400),
  /** The states whose deed events callers can reach; `loaded`: every state with events in the snapshot. */
  EVENT_STATES: words()
    .pipe(z.array(z.string().toUpperCase()))
    .refine(
      (given) => given.length > 0 && (isLoaded(given) || given.every((code) => /^[A-Z]{2}$/.test(code))),
      'takes two-letter state codes separated by commas, such as TX,NY,FL, or the single word loaded',
    )
    .transform((given): 'loaded' | readonly string[] => (isLoaded(given) ? 'loaded' : [...new Set(given)]))
    .default(['TX', 'NY', 'FL']),
  EVENT_SEARCH_TIMEOUT_MS: z.coerce.number().int().min(1).default(5_000),
  /** Searches for events at once in one process; others wait for their turn. */
  EVENT_SEARCH_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4),
  EVENT_SEARCH_MEMORY_LIMIT: z
    .string()
    .regex(/^\d+(MB|GB)$/, 'such as 1GB or 512MB')
    .default('512MB'),
  /** Whether people who are suppressed keep their names, as part of the public record, where they are parties to a deed. */
  SUPPRESSED_NAMES: z.enum(['withheld', 'public_record']).default('withheld'),
  /** When the night begins, on the clock of SCHEDULE_ZONE. */
  SCHEDULE_NIGHTLY_AT: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'such as 03:30')
    .default('03:30'),
  SCHEDULE_ZONE: z
    .string()
    .refine(isTimeZone, 'a time zone such as America/New_York or UTC')
    .default('America/New_York'),
  /** Lists of an account that may be on their way, or being answered, at once. */
  UPLOADS_PER_ACCOUNT: z.coerce.number().int().min(1).default(4),
  /** The same of all accounts, in one process. */
  UPLOADS_AT_ONCE: z.coerce.number().int().min(1).default(64),
  /** A list that comes more slowly, over 30 s, is cut off. */
  UPLOAD_LEAST_BYTES_PER_SECOND: z.coerce.number().min(0).default(1_000),
  /** Calls to an account's own endpoints (creation, change and test of webhooks) that may wait for an answer at once. */
  WEBHOOK_CALLS_PER_ACCOUNT: z.coerce.number().int().min(1).default(4),
  /** Rows of a list that is sent over HTTP. */
  ENRICHMENT_MOST_ROWS: z.coerce.number().int().min(1).default(5_000_000),
  /** MiB of a list that is sent over HTTP, unzipped. */
  ENRICHMENT_MOST_UNZIPPED_MB: z.coerce.number().int().min(1).default(4_096),
  /** How many times its own size a list of more than 64 MiB may unzip to. */
  ENRICHMENT_MOST_RATIO: z.coerce.number().min(1).default(200),
  /** Lists of an account that are queued or running. */
  ENRICHMENT_OPEN_JOBS: z.coerce.number().int().min(1).default(10),
  /** MiB that lists and results of an account take on the disk. */
  ENRICHMENT_STORED_MB: z.coerce.number().int().min(1).default(10_240),
  /** Lists of up to so many rows do not wait for longer ones. */
  ENRICHMENT_SMALL_ROWS: z.coerce.number().int().min(1).default(20_000),
  /** MiB of the disk that lists and their results leave free. */
  ENRICHMENT_KEEP_FREE_MB: z.coerce.number().int().min(0).default(1_024),
  /** Days that lists which were enriched in the background are kept with their results, once they are done. */
  ENRICHMENT_KEEP_DAYS: z.coerce.number().int().min(1).default(30),
  /** How often `serve` compares the files of its snapshot with the manifest although none has another date. */
  SNAPSHOT_VERIFY_MINUTES: z.coerce.number().min(1).max(40_000).default(360),
  /** `doctor` fails on a snapshot that was not brought up to date for this long; 36 where a schedule runs. */
  SNAPSHOT_MAX_AGE_HOURS: z.coerce.number().min(1).optional(),
  /** Where a message about something that needs a hand is sent as a JSON POST; `text` in it is Slack's field. */
  NOTIFY_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** A program and its arguments, separated by spaces; the message is its standard input. */
  NOTIFY_COMMAND: z.string().min(1).optional(),
  /** `smtps://user:password@host:465`, to send messages from NOTIFY_EMAIL_FROM to NOTIFY_EMAIL_TO. */
  NOTIFY_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  NOTIFY_EMAIL_TO: words().pipe(z.array(z.email())).default([]),
  NOTIFY_EMAIL_FROM: z.email().optional(),
  /** Called after each nightly run without failures. */
  NOTIFY_DEADMAN_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** `doctor` complains when the last backup is older; 0: it never does. */
  BACKUP_WITHIN_HOURS: z.coerce.number().int().min(0).max(10_000).default(48),
  /** For backups to `s3://`, in the names of Amazon's own tools. Without keys: the profile or the role of the machine. */
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  AWS_SESSION_TOKEN: z.string().min(1).optional(),
  AWS_REGION: z.string().min(1).optional(),
  AWS_DEFAULT_REGION: z.string().min(1).optional(),
  /** The address of an S3-compatible store other than Amazon's; the first one wins. */
  AWS_ENDPOINT_URL_S3: z.url({ protocol: /^https?$/ }).optional(),
  AWS_ENDPOINT_URL: z.url({ protocol: /^https?$/ }).optional(),
  SNAPSHOT_KEEP_COUNT: z.coerce.number().int().min(1).default(3),
  /** The address that the service has for its callers: notifications link to it. */
  PLATBOOK_URL: z.url().optional(),
  /** Seals signing secrets in the state file: 32 bytes in base64; the first one of several seals, every one opens. */
  WEBHOOK_SECRETS_KEY: words()
    .pipe(z.array(z.base64().length(44, 'must be 32 bytes in base64')))
    .default([]),
  /** `host` or `host:port` that notifications may go to though it is inside, and without TLS. */
  WEBHOOK_TEST_HOSTS: words().pipe(z.array(z.string().toLowerCase())).default([]),
  /** Webhooks that an account may have, and that it may have at one host. */
  WEBHOOKS_PER_ACCOUNT: z.coerce.number().int().min(1).default(100),
  WEBHOOKS_PER_HOST: z.coerce.number().int().min(1).default(20),
  /** Calls of endpoints by creation, change and test: of one account, and of one host, in each process. */
  WEBHOOK_CALLS_PER_MINUTE: z.coerce.number().int().min(1).default(30),
  /** When a new endpoint must answer the challenge: when its host is shared, always, or never. */
  WEBHOOK_CHALLENGE: z.enum(['shared', 'always', 'never']).default('shared'),
  WEBHOOK_KEEP_DAYS: z.coerce.number().int().min(7).default(30),
})
const Env = Variables.superRefine(({ NOTIFY_SMTP_URL, NOTIFY_EMAIL_TO, NOTIFY_EMAIL_FROM }, context) => {
  if (NOTIFY_SMTP_URL === undefined) return
  const message = 'NOTIFY_SMTP_URL needs it'
  if (NOTIFY_EMAIL_TO.length === 0) context.addIssue({ code: 'custom', path: ['NOTIFY_EMAIL_TO'], message })
  if (NOTIFY_EMAIL_FROM === undefined)
    context.addIssue({ code: 'custom', path: ['NOTIFY_EMAIL_FROM'], message })
})
type Env = z.output<typeof Env>

/** Where everything lies on disk, below one folder (`PLATBOOK_DATA`). */
export interface DataPaths {
  readonly root: string
  readonly landing: string
  readonly warehouse: string
  /** What the linker learned; its term frequencies stand beside it. */
  readonly linkModel: string
  readonly snapshots: string
  /** The invented people that test keys are answered from. */
  readonly testSnapshots: string
  readonly state: string
  /** Person ids and their history, which no source has. */
  readonly identities: string
  readonly out: string
}

export type Config = Readonly<Env & { paths: DataPaths }>

/** The only reader of the environment; everything else is handed a Config. Relative paths are against `cwd`. */
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
  return Object.freeze({ ...result.data, paths: dataPaths(result.data.PLATBOOK_DATA) })
}

/** Variables whose values are secrets, by their names: such a value is never printed. */
const SECRET = /TOKEN|SECRET|KEY|PASSWORD|SMTP|URL/

/** Returns the fault of one variable, and the value that it was set to. */
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
  })
}
