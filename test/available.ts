import { inject } from 'vitest'

/** The resources outside the checkout that tests need, and whether each is available (see requirements.ts). */
export const available = inject('available')
