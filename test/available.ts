import { inject } from 'vitest'

/** What tests need beyond the checkout, and whether it is there (see requirements.ts). */
export const available = inject('available')
