import type { Kernels } from '../engine/shared/executor.ts'
import { makeKernels, ThreadKernels } from '../workers/kernels.ts'

/** Compiles the kernels before the tests, unless an earlier run did, so that tests use the same kernels as users. */
export const setup = (): Promise<void> => makeKernels()

/** Returns the kernels as in a thread. */
export const threadKernels = (): Kernels => new ThreadKernels()
