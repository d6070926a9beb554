import { systemClock } from '@prelude/platform'
import { runProduct } from './run-product.ts'

/** `make start` */
await runProduct(systemClock)
