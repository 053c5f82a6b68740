import type { CommonsLimits } from '../engine/commons/index.ts'
import type { Config } from '../server/config.ts'

const MiB = 1 << 20

/** What a process by itself takes on and keeps, and the least that each of several has to. */
const LIMITS = {
  activeSlices: [64, 8],
  waitingSlices: [512, 64],
  openFiles: [256, 16],
  cacheBytes: [512 * MiB, 32 * MiB],
  openDownloads: [1024, 32],
  releaseBytes: [384 * MiB, 64 * MiB],
} as const satisfies Partial<Record<keyof CommonsLimits, readonly [whole: number, least: number]>>

/** Settings that are about the whole service; 0 is no limit. */
const DIVIDED = [
  'heldBodyBytes',
  'expressionMemoryBytes',
  'connections',
  'ratePerMinute',
  'rateBurst',
  'concurrentRequests',
] as const satisfies readonly (keyof Config)[]

/** The settings of one of the processes: together they allow what the settings of the service do. */
export function shareOfConfig(config: Config): Config {
  if (config.processes === 1) return config
  const shares = DIVIDED.map((key) => [key, shareOf(config[key], config.processes)])
  return { ...config, ...Object.fromEntries(shares) }
}

/** The limits of one of so many processes. */
export function shareOfLimits(processes: number): Partial<CommonsLimits> {
  if (processes === 1) return {}
  const shares = Object.entries(LIMITS).map(([key, [whole, least]]) => [
    key,
    Math.max(least, shareOf(whole, processes)),
  ])
  return Object.fromEntries(shares)
}

/** No limit stays none, and a limit one. */
function shareOf(whole: number, processes: number): number {
  return whole === 0 ? 0 : Math.max(1, Math.floor(whole / processes))
}
