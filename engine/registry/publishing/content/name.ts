import { textLike } from './shape.ts'

/** The only member common to all records. */
export const NAME = {
  shape: textLike({
    pattern: /^(?=.*\S)[^\p{Cc}]{1,1000}$/u,
    wanted: 'a name of up to 1,000 characters on one line',
  }),
  needed: true,
  shown: 'MIN',
  weight: 10,
} as const
