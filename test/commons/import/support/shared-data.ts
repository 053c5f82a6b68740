import { publicData } from '../../../../fixtures/public-data.ts'

/** Public data beside the checkout. */
export const SHARED = publicData('data')
