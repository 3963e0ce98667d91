import { availableParallelism, cpus, totalmem } from 'node:os'

/** The line that every figure stands under: a figure without its machine says nothing. */
export function machineLine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  return `${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
}
