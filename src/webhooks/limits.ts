import { AppError } from '../errors.ts'
import { TokenBuckets } from '../state/token-buckets.ts'
import { hostOf, isTestHost, type TestHosts } from './endpoint.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

export interface LimitOptions {
  /** Highest number of subscriptions of an account, active and inactive. */
  readonly perAccount: number
  /** Highest number of subscriptions of an account at one host. */
  readonly perHost: number
  /** Test notifications per minute (creation, change, test): of one account, and to one host. */
  readonly callsPerMinute: number
  /** When a new endpoint must answer the challenge: always, when its host is shared (see `needsProof`), or never. */
  readonly challenge: 'always' | 'shared' | 'never'
  readonly testHosts: TestHosts
}

type Wanted = Pick<Subscription, 'account_id' | 'url'>

/** An account with this many subscriptions at one host must answer the challenge for further ones. */
const CHALLENGED_FROM = 5

/** Limits webhooks and calls, so that an account cannot use Platbook to flood a third party. */
export class WebhookLimits {
  readonly #subscriptions: Subscriptions
  readonly #options: LimitOptions
  readonly #buckets: TokenBuckets

  constructor(subscriptions: Subscriptions, options: LimitOptions) {
    this.#subscriptions = subscriptions
    this.#options = options
    this.#buckets = new TokenBuckets(options.callsPerMinute / 60, options.callsPerMinute)
  }

  /** @throws `conflict` when the account has its highest number of webhooks, in total or at the host of `url`. `except`: the id of a webhook not to count. */
  async refuseTooMany({ account_id, url }: Wanted, except = ''): Promise<void> {
    const { perAccount, perHost } = this.#options
    const own = (await this.#others(except)).filter((one) => one.account_id === account_id)
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

  /** Counts one call to an endpoint. Returns 0 when the call is allowed, else the seconds to wait. */
  take({ account_id, url }: Wanted, at: number): number {
    const wait = this.#buckets.take(`account ${account_id}`, at)
    if (wait > 0) return wait
    // Test hosts, which the operator configured, have no limit per host.
    if (isTestHost(new URL(url), this.#options.testHosts)) return 0
    const waitForHost = this.#buckets.take(`host ${hostOf(url)}`, at)
    if (waitForHost > 0) this.#buckets.giveBack(`account ${account_id}`)
    return waitForHost
  }

  /** Returns whether the endpoint must answer the challenge: when other accounts or many webhooks of this account use its host. */
  async needsProof({ account_id, url }: Wanted, except = ''): Promise<boolean> {
    const { challenge, testHosts } = this.#options
    if (challenge !== 'shared') return challenge === 'always'
    if (isTestHost(new URL(url), testHosts)) return false
    const host = hostOf(url)
    const there = (await this.#others(except)).filter((one) => hostOf(one.url) === host)
    const own = there.filter((one) => one.account_id === account_id).length
    return own < there.length || own >= CHALLENGED_FROM
  }

  async #others(except: string): Promise<Subscription[]> {
    return (await this.#subscriptions.list()).filter((one) => one.subscription_id !== except)
  }
}

function webhooks(count: number): string {
  return count === 1 ? '1 webhook' : `${count} webhooks`
}
