import { AppError } from '../errors.ts'
import { TokenBucket } from '../state/token-bucket.ts'
import { hostOf, isTestHost, type TestHosts } from './endpoint.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

export interface LimitOptions {
  /** Subscriptions of one account, active or not. */
  readonly perAccount: number
  /** Subscriptions of one account at one host. */
  readonly perHost: number
  /** Requests that one account may have sent to endpoints by creation, change and test, and requests to one host. */
  readonly callsPerMinute: number
  /** When an endpoint must answer the challenge: always, never, or when its host is shared. */
  readonly challenge: 'always' | 'shared' | 'never'
  readonly testHosts: TestHosts
}

type Wanted = Pick<Subscription, 'account_id' | 'url'>

/** From this many subscriptions of one account at one host on, the host must answer the challenge. */
const CHALLENGED_FROM = 5
const MOST_BUCKETS = 10_000

/** Keeps one account from turning Platbook against a third party: how many webhooks, how many calls, whose host. */
export class WebhookLimits {
  readonly #subscriptions: Subscriptions
  readonly #options: LimitOptions
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(subscriptions: Subscriptions, options: LimitOptions) {
    this.#subscriptions = subscriptions
    this.#options = options
  }

  /** Throws `conflict` when the account has as many webhooks as it may have, at all or at the host of `url`. */
  refuseTooMany({ account_id, url }: Wanted, except = ''): void {
    const { perAccount, perHost } = this.#options
    const own = this.#others(except).filter((one) => one.account_id === account_id)
    if (own.length >= perAccount) {
      throw new AppError(
        'conflict',
        `the account has ${webhooks(own.length)}, the most that are allowed: delete one first`,
      )
    }
    const host = hostOf(url)
    const there = own.filter((one) => hostOf(one.url) === host).length
    if (there >= perHost) {
      throw new AppError(
        'conflict',
        `the account has ${webhooks(there)} at ${host}, the most that are allowed at one host: delete one first`,
      )
    }
  }

  /** Takes one call of an account to an endpoint; 0 when it may be made, else the seconds until then. */
  take({ account_id, url }: Wanted, at: number): number {
    const wait = this.#bucket(`account ${account_id}`, at).take(at)
    if (wait > 0) return wait
    // The operator vouches for hosts that the configuration opens.
    if (isTestHost(new URL(url), this.#options.testHosts)) return 0
    const waitForHost = this.#bucket(`host ${hostOf(url)}`, at).take(at)
    if (waitForHost > 0) this.#bucket(`account ${account_id}`, at).give()
    return waitForHost
  }

  /** Whether the endpoint must prove that it expects notifications: other accounts, or many webhooks, use its host. */
  needsProof({ account_id, url }: Wanted, except = ''): boolean {
    const { challenge, testHosts } = this.#options
    if (challenge !== 'shared') return challenge === 'always'
    if (isTestHost(new URL(url), testHosts)) return false
    const host = hostOf(url)
    const there = this.#others(except).filter((one) => hostOf(one.url) === host)
    const own = there.filter((one) => one.account_id === account_id).length
    return own < there.length || own >= CHALLENGED_FROM
  }

  #others(except: string): Subscription[] {
    return this.#subscriptions.list().filter((one) => one.subscription_id !== except)
  }

  #bucket(name: string, at: number): TokenBucket {
    const known = this.#buckets.get(name)
    if (known !== undefined) return known
    if (this.#buckets.size >= MOST_BUCKETS) this.#buckets.clear()
    const { callsPerMinute } = this.#options
    const bucket = new TokenBucket(callsPerMinute / 60, callsPerMinute, at)
    this.#buckets.set(name, bucket)
    return bucket
  }
}

function webhooks(count: number): string {
  return count === 1 ? '1 webhook' : `${count} webhooks`
}
