export const NEEDED_MAJOR: number
export function findNode(places: {
  path: string
  packages: string
  folders?: readonly string[]
}): string | null
export function installAdvice(machine: { version: string; platform: string; isMusl: boolean }): string
