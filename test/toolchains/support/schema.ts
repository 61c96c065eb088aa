import { defineSchema } from '@isotherm/core'
import { Customer } from '../application/customer.js'
import { Order, UserAccessLog } from '../application/order.js'

/** The schema of the application, compiled by this repository. */
export const schema = defineSchema([Customer, Order, UserAccessLog])
