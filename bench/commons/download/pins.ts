import type { InputName, SetName } from './layout.ts'

/**
 * MD5 of all bytes of a set, one file after the other: what must come back before anything is
 * measured. They are a stream cipher's output for zeros, so no compression helps, and were told by
 *
 *     head -c BYTES /dev/zero | openssl enc -aes-128-ctr -K 00000000000000000000000000000000 \
 *       -iv 0000000S000000000000000000000000 | md5sum
 *
 * where BYTES is the length of the whole set and S is 0 for `single`, 1 for `archive`, 2 for `small`.
 */
export const PINS: Readonly<Record<InputName, Readonly<Record<SetName, string>>>> = {
  full: {
    single: '14b45c01c30ecfc5c275ad0d9bf35af9',
    archive: 'fb4185ef48cdc1ace7d350ccfff5818e',
    small: 'd11bf2d6dacf64cb532126a2c5ee19a4',
  },
  quick: {
    single: 'd9b9ce2649e4cc263c6ecc77420cec1c',
    archive: '5bd99a6ef2b5e37f420a75c4a1121e9d',
    small: '1247666de9461498565e8cc27cf6d54e',
  },
  test: {
    single: '45eeaf97262af833f7f3cdd9768f2042',
    archive: 'd0458f49fcba989cbf8209d8c614716b',
    small: '20aa740397e376f83d69a612a744fc18',
  },
}
