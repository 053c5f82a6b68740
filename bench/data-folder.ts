import { join } from 'node:path'

/** Where inputs that are made for a bench are kept between runs. Git ignores it. */
export const DATA_FOLDER = join(import.meta.dirname, 'data')
