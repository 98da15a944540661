-- A small shop, for SQLite and PostgreSQL.
--
--     sqlite3 examples/data/orders.db < examples/data/orders.sql
--     psql shop < examples/data/orders.sql
CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    city text NOT NULL,
    password_hash text NOT NULL
);
CREATE TABLE products (
    id integer PRIMARY KEY,
    title text NOT NULL,
    price numeric(10, 2) NOT NULL
);
CREATE TABLE orders (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers (id),
    status text NOT NULL,
    placed_on date NOT NULL
);
CREATE TABLE order_items (
    order_id integer NOT NULL REFERENCES orders (id),
    product_id integer NOT NULL REFERENCES products (id),
    quantity integer NOT NULL,
    PRIMARY KEY (order_id, product_id)
);
INSERT INTO customers VALUES
    (1, 'Ann', 'Oslo', '9f86d081'),
    (2, 'Bert', 'Bergen', '884c7d65'),
    (3, 'Carla', 'Oslo', '9af15b33');
INSERT INTO products VALUES
    (1, 'lantern', 49.50),
    (2, 'rope', 12.00),
    (3, 'compass', 89.90);
INSERT INTO orders VALUES
    (1, 1, 'shipped', '2026-03-02'),
    (2, 1, 'open', '2026-04-11'),
    (3, 2, 'shipped', '2026-04-12'),
    (4, 3, 'open', '2026-05-01'),
    (5, 3, 'open', '2026-05-03');
INSERT INTO order_items VALUES
    (1, 1, 2), (1, 2, 1), (2, 3, 1), (3, 2, 4), (4, 1, 1), (5, 3, 2);
