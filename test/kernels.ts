import type { Kernels } from '../engine/shared/executor.ts'
import { makeKernels, ThreadKernels } from '../workers/kernels.ts'

/** Compiles the kernels before the tests, unless an earlier run did, so that they test what users have. */
export const setup = (): Promise<void> => makeKernels()

/** Returns the kernels as a thread has them. */
export const threadKernels = (): Kernels => new ThreadKernels()
