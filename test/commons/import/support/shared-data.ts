import { publicData } from '../../../../fixtures/public-data.ts'

/** The public data next to the checkout. */
export const SHARED = publicData('data')
