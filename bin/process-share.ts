import type { CommonsLimits } from '../engine/commons/index.ts'
import type { Config } from '../server/config.ts'

const MiB = 1 << 20

/** Limits of a single process. Each of several processes gets a share, but not less than the minimum. */
const LIMITS = {
  activeSlices: [64, 8],
  waitingSlices: [512, 64],
  openFiles: [256, 16],
  cacheBytes: [512 * MiB, 32 * MiB],
  openDownloads: [1024, 32],
  releaseBytes: [384 * MiB, 64 * MiB],
} as const satisfies Partial<Record<keyof CommonsLimits, readonly [whole: number, least: number]>>

/** Settings for the service as a whole, which its processes share. 0 means no limit. */
const DIVIDED = [
  'heldBodyBytes',
  'expressionMemoryBytes',
  'connections',
  'ratePerMinute',
  'rateBurst',
  'concurrentRequests',
] as const satisfies readonly (keyof Config)[]

/** Returns the settings of one of several processes. Together they stay within those of the service. */
export function shareOfConfig(config: Config): Config {
  if (config.processes === 1) return config
  const shares = DIVIDED.map((key) => [key, shareOf(config[key], config.processes)])
  return { ...config, ...Object.fromEntries(shares) }
}

/** Returns the engine limits for each of several processes. */
export function shareOfLimits(processes: number): Partial<CommonsLimits> {
  if (processes === 1) return {}
  const shares = Object.entries(LIMITS).map(([key, [whole, least]]) => [
    key,
    Math.max(least, shareOf(whole, processes)),
  ])
  return Object.fromEntries(shares)
}

/** Divides a limit. No limit stays no limit. */
function shareOf(whole: number, processes: number): number {
  return whole === 0 ? 0 : Math.max(1, Math.floor(whole / processes))
}
