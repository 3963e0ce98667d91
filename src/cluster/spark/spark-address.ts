import { AppError } from '../../errors.ts'

/** The place of a Spark Connect server. */
export interface SparkAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

const DEFAULT_PORT = 15_002
const URL_FORM =
  /^sc:\/\/(?<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?::(?<port>\d{1,5}))?\/?(?<parameters>(?:;[^;]+)*)$/

/**
 * Reads `sc://host:port` or `sc://host:port/;use_ssl=true`. The port is 15002 by default.
 * @throws `bad_usage` for any other text, also for the parameter `token`
 */
export function parseSparkUrl(url: string): SparkAddress {
  // The text is not shown when it may have a token.
  const shown = url.includes(';') ? 'the address of the Spark server' : JSON.stringify(url)
  const { host, port, parameters = '' } = URL_FORM.exec(url)?.groups ?? {}
  const number = Number(port ?? DEFAULT_PORT)
  if (host === undefined || number < 1 || number > 65_535)
    throw new AppError('bad_usage', `${shown} is not an address such as sc://spark.example.com:15002`)
  let isTls = false
  for (const parameter of parameters.split(';').filter((text) => text !== '')) {
    const [name, value] = parameter.split('=')
    if (name === 'token')
      throw new AppError(
        'bad_usage',
        'a token in the address of the Spark server is visible to other users: set SPARK_CONNECT_AUTHENTICATE_TOKEN instead',
      )
    if (name !== 'use_ssl' || (value !== 'true' && value !== 'false'))
      throw new AppError('bad_usage', `the address of the Spark server has the parameter ${JSON.stringify(name)}: only ;use_ssl=true is supported`) // prettier-ignore
    isTls = value === 'true'
  }
  return { host, port: number, isTls }
}
