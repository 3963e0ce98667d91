import { AppError } from '../../errors.ts'
import { GRPC, type GrpcError } from './grpc.ts'
import type { SparkAddress } from './spark-address.ts'

export const isGrpcError = (error: unknown): error is GrpcError =>
  error instanceof Error && 'details' in error && 'code' in error && typeof error.code === 'number'

/** Returns the error for an operator when a server does not take calls at all; undefined for every other failure. */
export function connectionFailure(
  address: SparkAddress,
  error: GrpcError,
  hasToken: boolean,
): AppError | undefined {
  const at = `${address.host}:${address.port}`
  switch (error.code) {
    case GRPC.unavailable:
    case GRPC.deadlineExceeded:
      return new AppError(
        'cluster_unreachable',
        `no Spark Connect server answers at ${at}: ${error.details}. Check host and port, and that ` +
          '`sbin/start-connect-server.sh` of Spark runs there; or name the cluster by --master',
        { cause: error },
      )
    case GRPC.unauthenticated:
    case GRPC.permissionDenied:
      return new AppError(
        'cluster_unreachable',
        hasToken
          ? `the Spark server at ${at} refuses the token of SPARK_CONNECT_AUTHENTICATE_TOKEN: set the token of the server`
          : `the Spark server at ${at} asks for a token: set SPARK_CONNECT_AUTHENTICATE_TOKEN`,
        { cause: error },
      )
    case GRPC.unimplemented:
      return new AppError(
        'cluster_unreachable',
        `the server at ${at} is not a Spark Connect server of version 4: ${error.details}`,
        { cause: error },
      )
    default:
      return undefined
  }
}

/** The line that ends the standard error of a unit that failed. The command of `stage-command.ts` prints it. */
export const FAILED_UNIT = 'platbook: failed unit '

/** A unit that failed so often that Spark gave up. */
export interface UnitFailure {
  readonly unit: number
  readonly reason: string
}

const SUBPROCESS = /Subprocess exited with status (\d+)\. Error: ([\s\S]*?)\.?\s*$/
const PRINTED_UNIT = new RegExp(`${FAILED_UNIT}(\\d+)\\s*$`)
const LOST_TASK = /Task (\d+) in stage [\d.]+ failed \d+ times?, most recent failure: ([\s\S]*)/
/** A shell reports 128 + n when the signal n ended a process. */
const SIGNAL_BASE = 128
const SIGNALS: Readonly<Record<number, string>> = {
  9: ', killed by SIGKILL: usually the machine had no memory left',
  15: ', killed by SIGTERM',
}

/** Reads Spark's message about a stage that it gave up; undefined when no unit was the reason. */
export function unitFailure(message: string): UnitFailure | undefined {
  const subprocess = SUBPROCESS.exec(message)
  if (subprocess !== null) {
    const [, status = '', printed = ''] = subprocess
    const unit = PRINTED_UNIT.exec(printed)
    if (unit === null) return undefined
    const error = printed.slice(0, unit.index).trim()
    const signal = SIGNALS[Number(status) - SIGNAL_BASE] ?? ''
    return {
      unit: Number(unit[1]),
      reason: `its process ended with status ${status}${signal}${error === '' ? '; it printed no error' : `: ${error}`}`,
    }
  }
  // A stage has a task for each unit, with the same numbers.
  const task = LOST_TASK.exec(message)
  return task === null ? undefined : { unit: Number(task[1]), reason: withoutStack(task[2] ?? '') }
}

/** Returns the message without the lines of Java stacks. */
export function withoutStack(message: string): string {
  return message
    .split('\n')
    .filter((line) => !/^\s+at [\w.$]+|^\s*\.\.\. \d+ more|^(?:Driver|JVM) stacktrace:/.test(line))
    .join('\n')
    .trim()
}
