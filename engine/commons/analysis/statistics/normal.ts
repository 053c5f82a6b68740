import { chiSquareUpperTail } from './chi-square.ts'

/** The 97.5 % quantile of the normal distribution, R's qnorm(0.975). */
export const NORMAL_975 = 1.959963984540054

/** Returns the two-sided p-value of a normal deviate, R's 2 * pnorm(-abs(z)). */
export const normalPValue = (z: number): number => chiSquareUpperTail(z * z, 1)
