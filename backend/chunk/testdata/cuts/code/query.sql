-- Orders of the last month.
create table orders (
  id integer primary key,
  placed date not null
);

select customer, count(*)
from orders
where placed > date('now', '-1 month')
group by customer;

-- Customers without orders.
select customer
from customers
where customer not in (select customer from orders);
