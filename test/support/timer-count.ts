/** Timers that this process has started and that have not fired. */
export function timerCount(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}
