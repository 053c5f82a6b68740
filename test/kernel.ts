import { makeKernel } from '../workers/kernel.ts'

/** Compiles the kernel before the tests, unless an earlier run did, so that they test what users have. */
export const setup = (): Promise<void> => makeKernel()
