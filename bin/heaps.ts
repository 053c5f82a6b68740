import { setFlagsFromString } from 'node:v8'

/**
 * V8 lets garbage grow to hundreds of megabytes before it looks, though nearly all memory that
 * matters here lies outside its heaps. These make it look early: at 16 MB at first, and then
 * whenever a heap has grown by 60 percent. For this thread the start script says the first. The
 * young part of a thread's heap has 1 MB: to have helpers woken for it costs more than it takes, a
 * fifth of the time of a batch.
 */
const SETTINGS = [
  '--initial-old-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
]

/** For this thread and all that are started afterwards. */
export function limitHeaps(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting)
}

/**
 * Keeps the young part of this thread's heap as it is. A command that turns millions of records into text
 * needs none of them again, and would have it grow to three times sixteen megabytes.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
